#include "scheduling/common/format_use.hpp"

#include <array>
#include <cstddef>

namespace stoker {

namespace {

constexpr std::int64_t ms_per_hour = 3'600'000;
constexpr std::int64_t mb_s_per_gb_hour = std::int64_t{1024} * 3600;

/// So many parts of x / unit, rounded, however large x is.
std::int64_t parts_of(std::int64_t x, std::int64_t unit, std::int64_t parts) {
  return x / unit * parts + (x % unit * parts + unit / 2) / unit;
}

/// "12.3", of tenths.
std::string tenths_text(std::int64_t tenths) {
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

/// "12.34": bills of small users are less than a tenth.
std::string hundredths_text(std::int64_t x, std::int64_t unit) {
  auto hundredths = parts_of(x, unit, 100);
  return std::to_string(hundredths / 100) + '.'
         + std::to_string(hundredths / 10 % 10)
         + std::to_string(hundredths % 10);
}

} // namespace

std::string format_core_time(std::int64_t ms) {
  // What would be 3600.0 s is an hour.
  if (auto tenths = parts_of(ms, 1000, 10); tenths < ms_per_hour / 100)
    return tenths_text(tenths) + " s";
  return tenths_text(parts_of(ms, ms_per_hour, 10)) + " h";
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units{" B", " KB", " MB", " GB", " TB"};
  std::int64_t size = 1;
  std::size_t unit = 0;
  // What would be 1024.0 KB is a megabyte.
  while (unit + 1 < units.size()
         && (bytes / size >= 1024 || parts_of(bytes, size, 10) >= 10'240)) {
    size *= 1024;
    ++unit;
  }
  return (unit == 0 ? std::to_string(bytes)
                    : tenths_text(parts_of(bytes, size, 10)))
         + units[unit];
}

std::string format_hours(std::int64_t ms) {
  return hundredths_text(ms, ms_per_hour);
}

std::string format_gb_hours(std::int64_t mb_s) {
  return hundredths_text(mb_s, mb_s_per_gb_hour);
}

} // namespace stoker
