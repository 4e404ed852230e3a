#pragma once

// What was used, for people: rounded.

#include <cstdint>
#include <string>

namespace stoker {

/// Time of cores: "12.3 s", from an hour on "4.5 h".
std::string format_core_time(std::int64_t ms);

/// "120 B", "1.1 KB"
std::string format_bytes(std::int64_t bytes);

/// Of milliseconds: "5120.50".
std::string format_hours(std::int64_t ms);

/// Gigabytes for an hour, of MB times seconds: "20482.00".
std::string format_gb_hours(std::int64_t mb_s);

} // namespace stoker
