#pragma once

// Reading cases strictly: a field that nobody knows would change the answer.

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace stoker::conformance {

/// @throws std::invalid_argument when the object has a field that is not one of
/// these.
inline void allow(const boost::json::object& x,
                  std::initializer_list<std::string_view> fields) {
  for (const auto& [name, value] : x)
    if (std::find(fields.begin(), fields.end(), name) == fields.end())
      throw std::invalid_argument{"unknown field: " + std::string{name}};
}

/// @throws std::exception when it is no string.
inline std::string text(const boost::json::value& x) {
  return std::string{x.as_string()};
}

} // namespace stoker::conformance
