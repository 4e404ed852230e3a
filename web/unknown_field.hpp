#pragma once

#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/json/value.hpp>

#include "messages/fields.hpp"

namespace stoker {

/// The first field, as "on_end.retry", that a struct of this form has not; empty: there is
/// none. A misspelt one would silently do something else than was asked for.
/// @pre `from_json<T>(from)` succeeds
template <class T>
std::string unknown_field(const boost::json::value& from,
                          const std::string& path = {}) {
  constexpr auto kind = kind_of<T>;
  if constexpr (kind == FieldKind::optional) {
    if (!from.is_null())
      return unknown_field<typename T::value_type>(from, path);
  } else if constexpr (kind == FieldKind::list) {
    for (const auto& element : from.get_array())
      if (auto found = unknown_field<typename T::value_type>(element, path);
          !found.empty())
        return found;
  } else if constexpr (kind == FieldKind::record) {
    auto path_of = [&](std::string_view name) {
      return path.empty() ? std::string{name} : path + '.' + std::string{name};
    };
    const auto& object = from.get_object();
    std::set<std::string_view> known;
    std::string result;
    const T form{};
    for_each_field(form, [&](auto field, const auto& value) {
      known.insert(field.name);
      if (const auto* member = object.if_contains(field.name);
          member != nullptr && result.empty())
        result = unknown_field<std::decay_t<decltype(value)>>(
            *member, path_of(field.name));
    });
    for (const auto& member : object)
      if (!known.contains(member.key()))
        return path_of(member.key());
    return result;
  }
  return {};
}

} // namespace stoker
