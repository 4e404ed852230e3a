#include "scheduling/master/log_fields.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "messages/printable.hpp"

namespace stoker {

namespace {

/// "a b" in quotes, with quotes and backslashes in it marked.
std::string quoted(const std::string& text) {
  auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0
           || std::string_view{"-_./:@+,"}.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
    return text;
  std::string result = "\"";
  for (auto c : printable(text)) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

} // namespace

LogFields&& LogFields::add(const char* name, const std::string& value) && {
  text_ += (text_.empty() ? "" : " ") + std::string{name} + '=' + quoted(value);
  return std::move(*this);
}

} // namespace stoker
