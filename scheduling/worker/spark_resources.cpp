#include "scheduling/worker/spark_resources.hpp"

#include <string_view>

namespace stoker {

namespace {

/// A string of JSON. A worker's addresses may have anything in them but commas.
std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (auto c : text) {
    auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      result += "\\u00";
      result += digits[code >> 4];
      result += digits[code & 0xf];
      continue;
    }
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

} // namespace

std::string spark_resources_text(const std::string& component,
                                 const ResourceAddresses& resources) {
  std::string result;
  for (const auto& [name, addresses] : resources) {
    std::string list;
    for (const auto& x : addresses)
      list += (list.empty() ? "" : ",") + json_string(x);
    result += result.empty() ? "[" : ",";
    result += R"({"id":{"componentName":)" + json_string(component)
              + R"(,"resourceName":)" + json_string(name) + R"(},"addresses":[)"
              + list + "]}";
  }
  return (result.empty() ? "[" : result) + "]";
}

} // namespace stoker
