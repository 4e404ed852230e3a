#pragma once

// A walk over the fields of described structs. What a kind of field is, and the
// name under which it is written, is said here once: JSON, the text of traces
// and the columns of SQLite all stand on it.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "messages/describe.hpp"
#include "messages/ids.hpp"
#include "messages/instant.hpp"
#include "messages/job_ids.hpp"

namespace stoker {

// -- kinds --------------------------------------------------------------------

enum class FieldKind {
  boolean,
  integer,
  floating,
  text,
  enumeration,
  id,
  /// A strongly typed one.
  number,
  duration,
  instant,
  optional,
  list,
  /// With texts as keys.
  map,
  /// A described struct.
  record,
};

namespace fields_detail {

template <class T>
consteval FieldKind kind_of_plain() {
  if constexpr (std::is_same_v<T, bool>)
    return FieldKind::boolean;
  else if constexpr (std::is_integral_v<T>)
    return FieldKind::integer;
  else if constexpr (std::is_floating_point_v<T>)
    return FieldKind::floating;
  else if constexpr (std::is_enum_v<T>)
    return FieldKind::enumeration;
  else {
    static_assert(boost::describe::has_describe_members<T>::value,
                  "a field of a type that is not known here");
    return FieldKind::record;
  }
}

template <class T>
struct KindOf {
  static constexpr FieldKind value = kind_of_plain<T>();
};
template <>
struct KindOf<std::string> {
  static constexpr FieldKind value = FieldKind::text;
};
template <class Tag>
struct KindOf<Id<Tag>> {
  static constexpr FieldKind value = FieldKind::id;
};
template <class Tag>
struct KindOf<Number<Tag>> {
  static constexpr FieldKind value = FieldKind::number;
};
template <class Rep, class Period>
struct KindOf<std::chrono::duration<Rep, Period>> {
  static constexpr FieldKind value = FieldKind::duration;
};
template <>
struct KindOf<Instant> {
  static constexpr FieldKind value = FieldKind::instant;
};
template <class T>
struct KindOf<std::optional<T>> {
  static constexpr FieldKind value = FieldKind::optional;
};
template <class T>
struct KindOf<std::vector<T>> {
  static constexpr FieldKind value = FieldKind::list;
};
template <class T>
struct KindOf<std::map<std::string, T>> {
  static constexpr FieldKind value = FieldKind::map;
};

template <class T>
inline constexpr bool is_instant
    = std::is_same_v<T, Instant> || std::is_same_v<T, std::optional<Instant>>;

/// The described name with `_ms` behind it.
template <class Descriptor>
inline constexpr auto name_with_unit = [] {
  constexpr std::string_view name = Descriptor::name;
  constexpr std::string_view unit = "_ms";
  std::array<char, name.size() + unit.size()> result{};
  std::size_t size = 0;
  for (auto part : {name, unit})
    for (auto c : part)
      result[size++] = c;
  return result;
}();

} // namespace fields_detail

template <class T>
inline constexpr FieldKind kind_of
    = fields_detail::KindOf<std::remove_cv_t<T>>::value;

// -- fields -------------------------------------------------------------------

/// What is known of a member while the program is compiled.
template <class Value, class Descriptor>
struct Field {
  /// In JSON and in columns. A point in time is written in milliseconds and
  /// says so.
  static constexpr std::string_view name = [] {
    if constexpr (fields_detail::is_instant<Value>) {
      const auto& text = fields_detail::name_with_unit<Descriptor>;
      return std::string_view{text.data(), text.size()};
    } else {
      return std::string_view{Descriptor::name};
    }
  }();

  /// Whether its values may be secrets: the variables of a program, and the
  /// properties of a JVM.
  static constexpr bool is_secret
      = (kind_of<Value> == FieldKind::map
         && std::string_view{Descriptor::name} == "environment")
        || (kind_of<Value> == FieldKind::list
            && std::string_view{Descriptor::name} == "java_options");
};

/// Calls `f` with the Field and the value of each described member of `x`, in
/// order.
template <class T, class F>
void for_each_field(T& x, F&& f) {
  boost::mp11::mp_for_each<MembersOf<std::remove_const_t<T>>>(
      [&](auto descriptor) {
        auto& value = x.*descriptor.pointer;
        using Value = std::remove_cvref_t<decltype(value)>;
        f(Field<Value, decltype(descriptor)>{}, value);
      });
}

template <class T>
inline constexpr bool has_fields = !boost::mp11::mp_empty<MembersOf<T>>::value;

/// Calls the member function of `f` that fits how a value is written, whatever
/// its type is:
///
///     null()            an optional that is not set
///     boolean(x)
///     integer(x)        also of numbers, durations and points in time: their counts
///     floating(x)
///     text(x)           a std::string, also of an id; or the `const char*` of an
///                       enumerator's name
///     list(xs), map(xs), record(x)   the value itself
template <class T, class F>
decltype(auto) visit_value(const T& x, F&& f) {
  constexpr auto kind = kind_of<T>;
  if constexpr (kind == FieldKind::boolean)
    return f.boolean(x);
  else if constexpr (kind == FieldKind::integer)
    return f.integer(x);
  else if constexpr (kind == FieldKind::floating)
    return f.floating(x);
  else if constexpr (kind == FieldKind::text)
    return f.text(x);
  else if constexpr (kind == FieldKind::enumeration)
    return f.text(boost::describe::enum_to_string(x, "?"));
  else if constexpr (kind == FieldKind::id)
    return f.text(x.value);
  else if constexpr (kind == FieldKind::number)
    return f.integer(x.value);
  else if constexpr (kind == FieldKind::duration)
    return f.integer(x.count());
  else if constexpr (kind == FieldKind::instant)
    return f.integer(to_ms(x));
  else if constexpr (kind == FieldKind::optional)
    return x ? visit_value(*x, f) : f.null();
  else if constexpr (kind == FieldKind::list)
    return f.list(x);
  else if constexpr (kind == FieldKind::map)
    return f.map(x);
  else
    return f.record(x);
}

} // namespace stoker
