#include "outputs/output_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

namespace stoker {

namespace {

constexpr std::string_view unfinished_prefix = ".writing-";
constexpr std::size_t directory_name_max = 128;

std::string attempt_name(const TaskAttempt& x) {
  return to_string(x.stage) + '-' + std::to_string(x.task) + '-'
         + std::to_string(x.attempt);
}

/// Numbers with a '-' between them; nothing: it is something else.
std::optional<std::vector<int>> parse_numbers(std::string_view text) {
  std::vector<int> result;
  for (;;) {
    auto number = text.substr(0, text.find('-'));
    int value = 0;
    auto [end, error]
        = std::from_chars(number.data(), number.data() + number.size(), value);
    // What is written back differently is not ours, as "007".
    if (error != std::errc{} || std::to_string(value) != number)
      return std::nullopt;
    result.push_back(value);
    if (number.size() == text.size())
      return result;
    text.remove_prefix(number.size() + 1);
  }
}

} // namespace

std::string data_file_name(const TaskAttempt& x) {
  return attempt_name(x) + ".data";
}

std::string index_file_name(const TaskAttempt& x) {
  return attempt_name(x) + ".index";
}

std::string unfinished_file_name(int exec_id, const TaskAttempt& x,
                                 std::string_view kind) {
  return std::string{unfinished_prefix} + std::to_string(exec_id) + '-'
         + attempt_name(x) + '.' + std::string{kind};
}

std::optional<OutputFileName> parse_output_file_name(std::string_view name) {
  OutputFileName result;
  auto unfinished = name.starts_with(unfinished_prefix);
  if (unfinished)
    name.remove_prefix(unfinished_prefix.size());
  auto dot = name.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  result.kind = name.substr(dot + 1);
  if (result.kind != "data" && result.kind != "index"
      && !(unfinished && result.kind == "spill"))
    return std::nullopt;
  auto numbers = parse_numbers(name.substr(0, dot));
  if (!numbers || numbers->size() != (unfinished ? 4U : 3U))
    return std::nullopt;
  if (unfinished) {
    result.exec_id = numbers->front();
    numbers->erase(numbers->begin());
  }
  result.attempt = {StageId{(*numbers)[0]}, (*numbers)[1], (*numbers)[2]};
  return result;
}

bool is_directory_name(const AppId& id) {
  const auto& text = id.value;
  return !text.empty() && text.size() <= directory_name_max
         && text.front() != '.'
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '.' || c == '_'
                     || c == '-';
            });
}

} // namespace stoker
