#include "storage/time_option.hpp"

#include <algorithm>
#include <ctime>

#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

std::optional<Instant> parse_date(const std::string& text, const char* format) {
  std::tm parts{};
  const auto* end = ::strptime(text.c_str(), format, &parts);
  if (end == nullptr || *end != '\0')
    return std::nullopt;
  auto day = parts.tm_mday;
  parts.tm_isdst = -1;
  auto seconds = std::mktime(&parts);
  // The 31st of November would be the 1st of December.
  if (parts.tm_mday != day)
    return std::nullopt;
  return from_ms(std::int64_t{seconds} * 1000);
}

} // namespace

std::optional<Instant> parse_time(const std::string& text, Instant now) {
  auto date = text;
  std::replace(date.begin(), date.end(), 'T', ' ');
  for (const auto* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"})
    if (auto result = parse_date(date, format))
      return result;
  if (auto ago = parse_duration(text))
    return now - *ago;
  return std::nullopt;
}

} // namespace stoker
