#include "scheduling/common/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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

std::string format_elapsed(Duration x) {
  constexpr std::array<std::pair<const char*, std::int64_t>, 4> units{
      {{" d", 86'400}, {" h", 3600}, {" min", 60}, {" s", 1}}};
  auto seconds = std::max<std::int64_t>(x.count() / 1000, 0);
  const auto* first = std::ranges::find_if(
      units, [&](const auto& unit) { return seconds >= unit.second; });
  if (first == units.end())
    return "0 s";
  auto result = std::to_string(seconds / first->second) + first->first;
  const auto* second = first + 1;
  if (second == units.end())
    return result;
  auto rest = seconds % first->second / second->second;
  return rest == 0 ? result
                   : result + ' ' + std::to_string(rest) + second->first;
}

} // namespace stoker
