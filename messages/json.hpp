#pragma once

// Described messages to and from JSON, one field to one member under the field's
// name (messages/fields.hpp): for message logs, `--json` and stored records.
//
// Reading is strict about what is there and lenient about what is not: a wrong
// type or an unknown enumerator is an error that names the path to it; a missing
// member keeps its default and an unknown one is passed over, so that older and
// newer writers are understood.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json.hpp>

#include "messages/fields.hpp"
#include "messages/secrets.hpp"

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

template <Secrets secrets>
struct JsonMaker;

} // namespace json_detail

/// Secrets are hidden unless they are to be kept.
template <Secrets secrets = Secrets::hidden, class T>
boost::json::value to_json(const T& x) {
  return visit_value(x, json_detail::JsonMaker<secrets>{});
}

namespace json_detail {

template <Secrets secrets>
struct JsonMaker {
  boost::json::value null() const {
    return nullptr;
  }
  boost::json::value boolean(bool x) const {
    return x;
  }
  template <class T>
  boost::json::value integer(T x) const {
    return x;
  }
  boost::json::value floating(double x) const {
    return x;
  }
  boost::json::value text(boost::json::string_view x) const {
    return x;
  }

  template <class T>
  boost::json::value list(const std::vector<T>& xs) const {
    boost::json::array result;
    result.reserve(xs.size());
    for (const auto& element : xs)
      result.push_back(to_json<secrets>(element));
    return result;
  }

  template <class T>
  boost::json::value map(const std::map<std::string, T>& xs) const {
    boost::json::object result;
    for (const auto& [key, element] : xs)
      result[key] = to_json<secrets>(element);
    return result;
  }

  template <class T>
  boost::json::value record(const T& x) const {
    boost::json::object result;
    for_each_field(x, [&](auto field, const auto& value) {
      if constexpr (field.is_secret && secrets == Secrets::hidden)
        result[field.name] = to_json(hide_values(value));
      else
        result[field.name] = to_json<secrets>(value);
    });
    return result;
  }
};

} // namespace json_detail

/// @throws JsonError
template <class T>
void from_json(const boost::json::value& from, T& x,
               const std::string& path = {}) {
  using json_detail::read_integer;
  using json_detail::require;
  constexpr auto kind = kind_of<T>;
  if constexpr (kind == FieldKind::boolean) {
    require(from.is_bool(), path, "expected true or false");
    x = from.get_bool();
  } else if constexpr (kind == FieldKind::integer) {
    read_integer(from, x, path);
  } else if constexpr (kind == FieldKind::floating) {
    require(from.is_number(), path, "expected a number");
    x = from.to_number<T>();
  } else if constexpr (kind == FieldKind::text) {
    require(from.is_string(), path, "expected a string");
    x.assign(from.get_string().data(), from.get_string().size());
  } else if constexpr (kind == FieldKind::enumeration) {
    require(from.is_string(), path, "expected a name");
    // The look-up ends at a NUL, the name may not.
    const auto* name = from.get_string().c_str();
    require(boost::describe::enum_from_string(name, x)
                && from.get_string() == name,
            path, "not one of the known names");
  } else if constexpr (kind == FieldKind::id || kind == FieldKind::number) {
    from_json(from, x.value, path);
  } else if constexpr (kind == FieldKind::duration) {
    typename T::rep count{};
    read_integer(from, count, path);
    x = T{count};
  } else if constexpr (kind == FieldKind::instant) {
    std::int64_t count = 0;
    read_integer(from, count, path);
    x = from_ms(count);
  } else if constexpr (kind == FieldKind::optional) {
    x.reset();
    if (!from.is_null())
      from_json(from, x.emplace(), path);
  } else if constexpr (kind == FieldKind::list) {
    require(from.is_array(), path, "expected an array");
    x.clear();
    for (const auto& element : from.get_array()) {
      auto element_path = path + '[' + std::to_string(x.size()) + ']';
      from_json(element, x.emplace_back(), element_path);
    }
  } else if constexpr (kind == FieldKind::map) {
    require(from.is_object(), path, "expected an object");
    x.clear();
    for (const auto& [key, element] : from.get_object())
      from_json(element, x[std::string{key}], path + '.' + std::string{key});
  } else {
    static_assert(kind == FieldKind::record);
    require(from.is_object(), path, "expected an object");
    const auto& object = from.get_object();
    for_each_field(x, [&](auto field, auto& value) {
      if (const auto* member = object.if_contains(field.name)) {
        auto name = std::string{field.name};
        from_json(*member, value, path.empty() ? name : path + '.' + name);
      }
    });
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
