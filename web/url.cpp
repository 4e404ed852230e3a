#include "web/url.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace stoker {

namespace {

std::optional<unsigned> hex_digit(char x) {
  if (x >= '0' && x <= '9')
    return x - '0';
  if (x >= 'a' && x <= 'f')
    return x - 'a' + 10;
  if (x >= 'A' && x <= 'F')
    return x - 'A' + 10;
  return std::nullopt;
}

} // namespace

std::optional<std::string> url_decoded(std::string_view x, bool in_query) {
  std::string result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != '%') {
      result += x[i] == '+' && in_query ? ' ' : x[i];
      continue;
    }
    if (i + 2 >= x.size())
      return std::nullopt;
    auto high = hex_digit(x[i + 1]);
    auto low = hex_digit(x[i + 2]);
    if (!high || !low)
      return std::nullopt;
    result += static_cast<char>(*high << 4U | *low);
    i += 2;
  }
  return result;
}

std::optional<std::vector<std::string>> decoded_parts(std::string_view path) {
  std::vector<std::string> result;
  while (!path.empty()) {
    auto slash = path.find('/');
    auto part = url_decoded(path.substr(0, slash), false);
    if (!part)
      return std::nullopt;
    if (!part->empty())
      result.push_back(*std::move(part));
    path = slash == std::string_view::npos ? std::string_view{}
                                           : path.substr(slash + 1);
  }
  return result;
}

std::optional<std::string> query_value(std::string_view target,
                                       std::string_view name) {
  auto mark = target.find('?');
  while (mark != std::string_view::npos) {
    target.remove_prefix(mark + 1);
    auto end = target.find('&');
    auto field = target.substr(0, end);
    auto equals = field.find('=');
    if (equals != std::string_view::npos && field.substr(0, equals) == name)
      return url_decoded(field.substr(equals + 1), true);
    mark = end;
  }
  return std::nullopt;
}

std::vector<std::string_view> query_names(std::string_view query) {
  std::vector<std::string_view> result;
  while (!query.empty()) {
    auto end = std::min(query.find('&'), query.size());
    auto name = query.substr(0, std::min(query.find('='), end));
    if (!name.empty())
      result.push_back(name);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return result;
}

std::string malformed_query(std::string_view query) {
  std::set<std::string_view> names;
  while (!query.empty()) {
    auto end = std::min(query.find('&'), query.size());
    auto field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty())
      continue;
    auto equals = field.find('=');
    std::string name{field.substr(0, equals)};
    if (name.empty())
      return "'" + std::string{field} + "': a parameter has no name";
    if (equals == std::string_view::npos)
      return name + ": it has no value, as " + name + "=...";
    if (!url_decoded(field.substr(equals + 1), true))
      return name
             + ": in its value, '%' has no two hexadecimal digits after it";
    if (!names.insert(field.substr(0, equals)).second)
      return name + ": it is given more than once";
  }
  return {};
}

} // namespace stoker
