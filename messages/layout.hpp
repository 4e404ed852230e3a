#pragma once

// How a message looks on the wire, as text: its fields in order, by name and type.

#include <string>
#include <type_traits>

#include "messages/fields.hpp"

namespace stoker {

/// "{cores:i4 host:text tags:[text]}". Two types with the same text are read as
/// they were written, field by field.
template <class T>
std::string layout_of() {
  constexpr auto kind = kind_of<T>;
  if constexpr (kind == FieldKind::boolean)
    return "bool";
  else if constexpr (kind == FieldKind::integer)
    return (std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T));
  else if constexpr (kind == FieldKind::floating)
    return "f" + std::to_string(sizeof(T));
  else if constexpr (kind == FieldKind::text || kind == FieldKind::id)
    return "text";
  else if constexpr (kind == FieldKind::number)
    return layout_of<decltype(T::value)>();
  else if constexpr (kind == FieldKind::duration)
    return "duration";
  else if constexpr (kind == FieldKind::instant)
    return "instant";
  else if constexpr (kind == FieldKind::optional)
    return layout_of<typename T::value_type>() + '?';
  else if constexpr (kind == FieldKind::list)
    return '[' + layout_of<typename T::value_type>() + ']';
  else if constexpr (kind == FieldKind::map)
    return '<' + layout_of<typename T::mapped_type>() + '>';
  else {
    std::string result;
    auto add = [&](const std::string& text) {
      result += (result.empty() ? "" : " ") + text;
    };
    if constexpr (kind == FieldKind::enumeration) {
      boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
          [&](auto x) { add(x.name); });
      return '(' + result + ')';
    } else {
      boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
        using Value = std::remove_cvref_t<decltype(T{}.*member.pointer)>;
        add(std::string{member.name} + ':' + layout_of<Value>());
      });
      return '{' + result + '}';
    }
  }
}

} // namespace stoker
