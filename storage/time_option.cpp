#include "storage/time_option.hpp"

#include <algorithm>
#include <ctime>

#include "scheduling/common/units.hpp"

namespace stoker {

namespace {

std::optional<Instant> parse_date(const std::string& text, const char* format,
                                  TimeOf clock) {
  std::tm parts{};
  const auto* end = ::strptime(text.c_str(), format, &parts);
  if (end == nullptr || *end != '\0')
    return std::nullopt;
  auto day = parts.tm_mday;
  parts.tm_isdst = -1;
  auto seconds = clock == TimeOf::utc ? ::timegm(&parts) : std::mktime(&parts);
  // The 31st of November would be the 1st of December.
  if (parts.tm_mday != day)
    return std::nullopt;
  return from_ms(std::int64_t{seconds} * 1000);
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789 \t") == std::string::npos;
}

} // namespace

std::optional<Instant> parse_time(const std::string& text, Instant now,
                                  TimeOf clock) {
  auto date = text;
  std::replace(date.begin(), date.end(), 'T', ' ');
  if (date.ends_with('Z')) {
    date.pop_back();
    clock = TimeOf::utc;
  }
  for (const auto* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"})
    if (auto result = parse_date(date, format, clock))
      return result;
  if (is_number(text))
    return std::nullopt;
  if (auto ago = parse_duration(text))
    return now - *ago;
  return std::nullopt;
}

std::string no_time_text(const std::string& text) {
  return "'" + text
         + "' is no time: write 2026-11-26, '2026-11-26 14:30', "
           "2026-11-26T14:30Z for UTC, or 2h for two hours ago";
}

} // namespace stoker
