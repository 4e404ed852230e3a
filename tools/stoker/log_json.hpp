#pragma once

#include <string>
#include <string_view>

namespace stoker {

/// A line of a log as an object of JSON: "time" (RFC 3339, UTC), "level", "event" and
/// "message"; and "fields", where the message is nothing but NAME=VALUE.
std::string log_line_json(std::string_view time, std::string_view level,
                          std::string_view line);

} // namespace stoker
