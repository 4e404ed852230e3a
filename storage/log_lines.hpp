#pragma once

// What the lines of all message logs have in common. For those who know the format
// of one: message_log_format.cpp, task_log_format.cpp.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "messages/all.hpp"
#include "messages/json_text.hpp"
#include "messages/result.hpp"
#include "scheduling/common/instant.hpp"
#include "storage/log_header.hpp"

namespace stoker::log_lines {

boost::json::value parse(std::string_view line, boost::json::error_code& error);

/// @throws std::runtime_error
boost::json::value parse(std::string_view line);

/// Leaves `x` as it is where there is none.
template <class T>
void read_member(const boost::json::object& from, const char* name, T& x) {
  if (const auto* value = from.if_contains(name))
    from_json(*value, x, name);
}

/// For a header.
template <class Config>
std::string config_text(const Config& config) {
  std::string result;
  append_json(result, config);
  return result;
}

/// @throws std::runtime_error, one line, for a configuration that is not valid
inline void require_valid(const Status& config) {
  if (!config)
    throw std::runtime_error{"the message log's configuration: "
                             + config.error().message};
}

/// Leaves it to the caller whether the configuration is valid.
/// @throws std::runtime_error, one line, for what is not the header of a known
/// version of this kind.
template <class Format>
LogHeader<Format> parse_header(std::string_view line) {
  LogHeader<Format> result;
  static_cast<LogFileHeader&>(result) = parse_log_file_header(line);
  if (result.kind != Format::kind)
    throw std::runtime_error{describe(result.kind) + ", and not "
                             + describe(Format::kind)};
  auto parsed = parse(line);
  const auto* config = parsed.as_object().if_contains("config");
  if (config == nullptr)
    throw std::runtime_error{"a message log without a configuration"};
  from_json(*config, result.config, "config");
  return result;
}

/// One of a variant's types, by the name of the only member.
/// @param read Makes a T of what the member has: `read.template operator()<T>(value)`.
/// @throws std::exception
template <class Events, class Read>
Events parse_event(const boost::json::value& from, Read read) {
  if (!from.is_object() || from.get_object().size() != 1)
    throw JsonError{"event", "expected an object with one name"};
  const auto& entry = *from.get_object().begin();
  std::optional<Events> result;
  auto try_type = [&]<class T>() {
    if (entry.key() == message_name<T>)
      result = read.template operator()<T>(entry.value());
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (try_type.template operator()<Ts>(), ...);
  }(static_cast<Events*>(nullptr));
  if (!result)
    throw JsonError{"event",
                    "not one of the known names: " + std::string{entry.key()}};
  return std::move(*result);
}

/// Adds an effect to the list of effects that `out` ends in, which is not closed.
void append_effect(std::string& out, std::string_view line);

} // namespace stoker::log_lines
