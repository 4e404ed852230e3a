#pragma once

// Described messages to and from JSON, one field to one member under the same
// name: for message logs, `--json` and stored records.
//
// Reading is strict about what is there and lenient about what is not: a wrong
// type or an unknown enumerator is an error that names the path to it; a missing
// member keeps its default and an unknown one is passed over, so that older and
// newer writers are understood.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json.hpp>

#include "messages/ids.hpp"

namespace stoker {

/// Says which member could not be read and why: "workers[3].cores: expected a
/// whole number".
class JsonError : public std::runtime_error {
public:
  JsonError(const std::string& path, const std::string& problem)
      : std::runtime_error((path.empty() ? "the value" : path) + ": "
                           + problem) {
  }
};

namespace json_detail {

template <class T>
inline constexpr bool is_id = false;
template <class Tag>
inline constexpr bool is_id<Id<Tag>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_string_map = false;
template <class T>
inline constexpr bool is_string_map<std::map<std::string, T>> = true;

inline void require(bool condition, const std::string& path,
                    const char* problem) {
  if (!condition)
    throw JsonError{path, problem};
}

/// Integers of any width, refused when they do not fit.
template <class T>
void read_integer(const boost::json::value& from, T& x,
                  const std::string& path) {
  boost::json::error_code error;
  auto number = from.to_number<T>(error);
  require(!error, path, "expected a whole number that fits");
  x = number;
}

} // namespace json_detail

template <class T>
boost::json::value to_json(const T& x) {
  using namespace json_detail;
  if constexpr (is_id<T>) {
    return boost::json::value(x.value);
  } else if constexpr (is_optional<T>) {
    return x ? to_json(*x) : boost::json::value(nullptr);
  } else if constexpr (is_vector<T>) {
    boost::json::array result;
    result.reserve(x.size());
    for (const auto& element : x)
      result.push_back(to_json(element));
    return result;
  } else if constexpr (is_duration<T>) {
    return boost::json::value(x.count());
  } else if constexpr (is_string_map<T>) {
    boost::json::object result;
    for (const auto& [key, element] : x)
      result[key] = to_json(element);
    return result;
  } else if constexpr (std::is_enum_v<T>) {
    return boost::json::value(boost::describe::enum_to_string(x, "?"));
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    boost::json::object result;
    boost::mp11::mp_for_each<MembersOf<T>>(
        [&](auto member) { result[member.name] = to_json(x.*member.pointer); });
    return result;
  } else {
    return boost::json::value(x);
  }
}

/// @throws JsonError
template <class T>
void from_json(const boost::json::value& from, T& x,
               const std::string& path = {}) {
  using namespace json_detail;
  if constexpr (is_id<T>) {
    from_json(from, x.value, path);
  } else if constexpr (is_optional<T>) {
    x.reset();
    if (!from.is_null())
      from_json(from, x.emplace(), path);
  } else if constexpr (is_vector<T>) {
    require(from.is_array(), path, "expected an array");
    x.clear();
    for (const auto& element : from.get_array()) {
      auto element_path = path + '[' + std::to_string(x.size()) + ']';
      from_json(element, x.emplace_back(), element_path);
    }
  } else if constexpr (is_duration<T>) {
    typename T::rep count{};
    read_integer(from, count, path);
    x = T{count};
  } else if constexpr (is_string_map<T>) {
    require(from.is_object(), path, "expected an object");
    x.clear();
    for (const auto& [key, element] : from.get_object())
      from_json(element, x[std::string{key}], path + '.' + std::string{key});
  } else if constexpr (std::is_enum_v<T>) {
    require(from.is_string(), path, "expected a name");
    // The look-up ends at a NUL, the name may not.
    const auto* name = from.get_string().c_str();
    require(boost::describe::enum_from_string(name, x)
                && from.get_string() == name,
            path, "not one of the known names");
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    require(from.is_object(), path, "expected an object");
    const auto& object = from.get_object();
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      if (const auto* value = object.if_contains(member.name))
        from_json(*value, x.*member.pointer,
                  path.empty() ? member.name : path + '.' + member.name);
    });
  } else if constexpr (std::is_same_v<T, bool>) {
    require(from.is_bool(), path, "expected true or false");
    x = from.get_bool();
  } else if constexpr (std::is_same_v<T, std::string>) {
    require(from.is_string(), path, "expected a string");
    x.assign(from.get_string().data(), from.get_string().size());
  } else if constexpr (std::is_floating_point_v<T>) {
    require(from.is_number(), path, "expected a number");
    x = from.to_number<T>();
  } else {
    static_assert(std::is_integral_v<T>);
    read_integer(from, x, path);
  }
}

/// @throws JsonError
template <class T>
T from_json(const boost::json::value& from) {
  T result{};
  from_json(from, result);
  return result;
}

} // namespace stoker
