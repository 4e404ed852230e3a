#include "storage/replay_steps.hpp"

#include <chrono>
#include <cstdio>

namespace stoker {

std::string utc_time(Instant x) {
  auto day = std::chrono::floor<std::chrono::days>(x);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss time{x - day};
  char text[64];
  std::snprintf(
      text, sizeof(text), "%04d-%02u-%02u %02d:%02d:%02d.%03d",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return text;
}

std::string to_string(const ReplayDifference& x) {
  return "step " + std::to_string(x.step) + " at " + utc_time(x.at) + " UTC ("
         + x.event + "): then: " + x.then + ", now: " + x.now;
}

namespace replay_detail {

std::optional<std::pair<std::string, std::string>>
first_difference(const std::vector<std::string>& then,
                 const std::vector<std::string>& now) {
  auto count = std::max(then.size(), now.size());
  for (std::size_t i = 0; i < count; ++i) {
    auto before = i < then.size() ? then[i] : "nothing";
    auto after = i < now.size() ? now[i] : "nothing";
    if (before != after)
      return std::pair{before, after};
  }
  return std::nullopt;
}

void require_beginning(std::uint64_t first_step) {
  if (first_step != 1)
    throw std::runtime_error{
        "the log's beginning is gone, its first step is number "
        + std::to_string(first_step)
        + ": replaying needs every step; keep more of them with --log-max-size "
          "and --log-files"};
}

} // namespace replay_detail

} // namespace stoker
