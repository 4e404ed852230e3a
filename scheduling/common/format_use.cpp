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

/// "12.34", "0.167", "0.0003": of what is less than 1 up to three digits that tell, of four.
std::string amount_text(std::int64_t x, std::int64_t unit) {
  std::int64_t parts = 100;
  std::size_t digits = 2;
  for (; x > 0 && x < unit && digits < 4 && parts_of(x, unit, parts) < 100;
       ++digits)
    parts *= 10;
  auto amount = parts_of(x, unit, parts);
  auto fraction = std::to_string(amount % parts);
  fraction.insert(0, digits - fraction.size(), '0');
  while (fraction.size() > 2 && fraction.back() == '0')
    fraction.pop_back();
  return std::to_string(amount / parts) + '.' + fraction;
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
  return amount_text(ms, ms_per_hour);
}

std::string format_gb_hours(std::int64_t mb_s) {
  return amount_text(mb_s, mb_s_per_gb_hour);
}

} // namespace stoker
