#include "tools/stoker/log_json.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "messages/utf8_json.hpp"
#include "tools/stoker/log_levels.hpp"

namespace stoker {

namespace {

bool is_name(std::string_view x) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  return !x.empty() && x.find_first_not_of(letters) == std::string_view::npos;
}

/// What stands in quotes at the beginning of a text, which loses it.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string result;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return result;
    }
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    result += text[i];
  }
  return std::nullopt;
}

std::optional<std::string> take_value(std::string_view& text) {
  if (text.starts_with('"'))
    return take_quoted(text);
  auto end = std::min(text.find(' '), text.size());
  std::string result{text.substr(0, end)};
  text.remove_prefix(end);
  return result;
}

/// Nothing: it is a sentence.
std::optional<boost::json::object> fields_of(std::string_view text) {
  boost::json::object result;
  while (!text.empty()) {
    auto sign = text.find('=');
    if (sign == std::string_view::npos || !is_name(text.substr(0, sign)))
      return std::nullopt;
    auto name = text.substr(0, sign);
    text.remove_prefix(sign + 1);
    auto value = take_value(text);
    if (!value || !(text.empty() || text.starts_with(' ')))
      return std::nullopt;
    if (!text.empty())
      text.remove_prefix(1);
    result[boost::json::string_view{name.data(), name.size()}] = *value;
  }
  return result;
}

} // namespace

std::string log_line_json(std::string_view time, std::string_view level,
                          std::string_view line) {
  auto event = event_of(line);
  auto message = event.empty() ? line : line.substr(event.size() + 3);
  boost::json::object result{{"time", std::string{time}},
                             {"level", std::string{level}}};
  if (!event.empty())
    result["event"] = std::string{event};
  result["message"] = message;
  if (auto fields = fields_of(message); fields && !fields->empty())
    result["fields"] = *std::move(fields);
  return utf8_json(result);
}

} // namespace stoker
