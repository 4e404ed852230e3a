#include "tools/stoker/toml_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace stoker {

namespace {

constexpr std::size_t bytes_max = std::size_t{16} * 1024 * 1024;
constexpr int parts_max = 32;

/// The parts of the key that a line begins with: in front of its value, of a comment,
/// or all of it.
int parts_of_key(std::string_view line) {
  int parts = 1;
  auto quote = '\0';
  for (auto c : line) {
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '=' || c == '#')
      break;
    else if (c == '.')
      ++parts;
  }
  return parts;
}

} // namespace

int line_of_deep_key(std::string_view toml) {
  for (int number = 1; !toml.empty(); ++number) {
    auto line = toml.substr(0, toml.find('\n'));
    if (parts_of_key(line) > parts_max)
      return number;
    toml.remove_prefix(std::min(line.size() + 1, toml.size()));
  }
  return 0;
}

Result<std::string> read_toml(const std::string& path,
                              const std::string& what) {
  auto failed = [&](const std::string& why) {
    return Error{Errc::failed, "cannot read " + what + ' ' + path + ": " + why};
  };
  std::error_code error;
  if (std::filesystem::exists(path, error)
      && !std::filesystem::is_regular_file(path, error))
    return failed(std::filesystem::is_directory(path, error)
                      ? std::strerror(EISDIR)
                      : "not a regular file");
  errno = 0;
  std::ifstream in{path};
  std::string text(bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad())
    return failed(std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > bytes_max)
    return failed("it is larger than 16 MB");
  return text;
}

} // namespace stoker
