#include "web/cookie.hpp"

#include <algorithm>

namespace stoker {

std::optional<std::string> cookie_value(std::string_view field,
                                        std::string_view name) {
  while (!field.empty()) {
    auto end = std::min(field.find(';'), field.size());
    auto pair = field.substr(0, end);
    field.remove_prefix(std::min(end + 1, field.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    auto equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return std::string{pair.substr(equals + 1)};
  }
  return std::nullopt;
}

} // namespace stoker
