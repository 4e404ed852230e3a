#include "scheduling/common/format.hpp"

#include <cmath>

namespace stoker {

namespace {

constexpr std::int64_t mb_per_gb = 1024;

} // namespace

std::string format_memory(std::int64_t memory_mb) {
  return format_memory_beside(memory_mb, 0);
}

std::string format_memory_beside(std::int64_t memory_mb,
                                 std::int64_t other_mb) {
  if (memory_mb != 0 && memory_mb % mb_per_gb == 0 && other_mb % mb_per_gb == 0)
    return std::to_string(memory_mb / mb_per_gb) + " GB";
  return std::to_string(memory_mb) + " MB";
}

std::string format_count(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

std::string format_percent(double fraction) {
  auto tenths = std::llround(fraction * 1000);
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " %";
}

std::string format_duration(Duration x) {
  auto seconds = (x.count() + 500) / 1000;
  if (seconds < 120)
    return std::to_string(seconds) + " s";
  if (seconds < 7200)
    return std::to_string((seconds + 30) / 60) + " min";
  return std::to_string((seconds + 1800) / 3600) + " h";
}

} // namespace stoker
