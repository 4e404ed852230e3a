#include "tools/stoker/command_name.hpp"

#include <cstddef>
#include <filesystem>
#include <utility>

#include "messages/printable.hpp"

namespace stoker {

namespace {

constexpr std::size_t name_characters_max = 40;

/// A character of UTF-8 has no more bytes.
constexpr std::size_t bytes_needed = 4 * (name_characters_max + 1);

/// Appends a text with single blanks in the place of blanks and control characters.
void append_in_line(std::string& line, const std::string& text) {
  for (auto c : text) {
    if (line.size() > bytes_needed)
      return;
    auto is_blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
}

std::string one_line_name(std::string line) {
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return shortened(as_utf8(line), name_characters_max);
}

} // namespace

std::string command_name(const std::vector<std::string>& words) {
  std::string line;
  append_in_line(line,
                 std::filesystem::path{words.front()}.filename().string());
  for (std::size_t i = 1; i < words.size(); ++i)
    append_in_line(line, ' ' + words[i]);
  return one_line_name(std::move(line));
}

std::string shell_line_name(const std::string& text) {
  std::string line;
  append_in_line(line, text);
  return one_line_name(std::move(line));
}

} // namespace stoker
