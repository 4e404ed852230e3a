#include "scheduling/common/format_use.hpp"

#include <array>
#include <cstddef>

namespace stoker {

namespace {

constexpr std::int64_t ms_per_hour = 3'600'000;
constexpr std::int64_t mb_s_per_gb_hour = std::int64_t{1024} * 3600;

/// "12.3", of tenths.
std::string tenths_text(std::int64_t tenths) {
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

/// Tenths of x / unit, however large x is.
std::int64_t tenths_of(std::int64_t x, std::int64_t unit) {
  return x / unit * 10 + x % unit * 10 / unit;
}

} // namespace

std::string format_core_time(std::int64_t ms) {
  return ms < ms_per_hour ? tenths_text(tenths_of(ms, 1000)) + " s"
                          : format_hours(ms) + " h";
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units{" B", " KB", " MB", " GB", " TB"};
  std::int64_t size = 1;
  std::size_t unit = 0;
  while (bytes / size >= 1024 && unit + 1 < units.size()) {
    size *= 1024;
    ++unit;
  }
  return (unit == 0 ? std::to_string(bytes)
                    : tenths_text(tenths_of(bytes, size)))
         + units[unit];
}

std::string format_hours(std::int64_t ms) {
  return tenths_text(tenths_of(ms, ms_per_hour));
}

std::string format_gb_hours(std::int64_t mb_s) {
  return tenths_text(tenths_of(mb_s, mb_s_per_gb_hour));
}

} // namespace stoker
