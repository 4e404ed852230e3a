#include "scheduling/common/instant.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace stoker {

std::string compact_date(Instant x) {
  auto result = format_time(x);
  std::erase_if(result, [](char c) { return c < '0' || c > '9'; });
  return result;
}

std::string format_time(Instant x) {
  auto day = std::chrono::floor<std::chrono::days>(x);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(x - day)};
  std::array<char, 32> text{};
  std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  return text.data();
}

} // namespace stoker
