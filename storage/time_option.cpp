#include "storage/time_option.hpp"

#include <algorithm>
#include <ctime>
#include <string_view>

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

constexpr std::string_view digits = "0123456789";

/// Weeks are no unit of other durations, nor do others have several units.
std::optional<Duration> parse_ago(std::string_view text) {
  constexpr Duration longest = std::chrono::hours{24} * 36'500;
  Duration result{};
  do {
    auto unit = std::min(text.find_first_not_of(digits), text.size());
    auto end = std::min(text.find_first_of(digits, unit), text.size());
    // A number alone may be anything.
    if (unit == 0 || unit == text.size())
      return std::nullopt;
    auto is_weeks = text.substr(unit, end - unit) == "w";
    auto part = is_weeks
                    ? parse_duration(std::string{text.substr(0, unit)} + 'd')
                    : parse_duration(text.substr(0, end));
    if (!part)
      return std::nullopt;
    result += *part * (is_weeks ? 7 : 1);
    text.remove_prefix(end);
  } while (!text.empty() && result <= longest);
  return text.empty() && result <= longest ? std::optional{result}
                                           : std::nullopt;
}

/// Takes "+01:00" from the end of a date with a time.
std::optional<Duration> take_offset(std::string& date) {
  constexpr std::size_t length = 6;
  if (date.size() < length || date.find(':') >= date.size() - 3)
    return std::nullopt;
  auto offset = std::string_view{date}.substr(date.size() - length);
  auto is_digit = [&](std::size_t i) {
    return digits.find(offset[i]) != std::string_view::npos;
  };
  if ((offset[0] != '+' && offset[0] != '-') || offset[3] != ':' || !is_digit(1)
      || !is_digit(2) || !is_digit(4) || !is_digit(5))
    return std::nullopt;
  auto number = [&](std::size_t i) {
    return (offset[i] - '0') * 10 + (offset[i + 1] - '0');
  };
  if (number(1) > 23 || number(4) > 59)
    return std::nullopt;
  Duration result
      = std::chrono::hours{number(1)} + std::chrono::minutes{number(4)};
  if (offset[0] == '-')
    result = -result;
  date.resize(date.size() - length);
  return result;
}

/// The first moment of a day.
Instant day_before(Instant now, int days, TimeOf clock) {
  auto seconds = static_cast<std::time_t>(to_ms(now) / 1000);
  std::tm parts{};
  clock == TimeOf::utc ? ::gmtime_r(&seconds, &parts)
                       : ::localtime_r(&seconds, &parts);
  parts.tm_mday -= days;
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  auto begin = clock == TimeOf::utc ? ::timegm(&parts) : std::mktime(&parts);
  return from_ms(std::int64_t{begin} * 1000);
}

} // namespace

std::optional<Instant> parse_time(const std::string& text, Instant now,
                                  TimeOf clock) {
  if (text == "today" || text == "yesterday")
    return day_before(now, text == "today" ? 0 : 1, clock);
  auto date = text;
  std::replace(date.begin(), date.end(), 'T', ' ');
  if (date.ends_with('Z')) {
    date.pop_back();
    clock = TimeOf::utc;
  }
  auto offset = take_offset(date);
  if (offset)
    clock = TimeOf::utc;
  for (const auto* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"})
    if (auto result = parse_date(date, format, clock))
      return *result - offset.value_or(Duration{});
  if (auto ago = parse_ago(text))
    return now - *ago;
  return std::nullopt;
}

std::string no_time_text(const std::string& text) {
  return "'" + text
         + "' is no time: write 2026-11-26, '2026-11-26 14:30', "
           "2026-11-26T14:30Z for UTC, 'yesterday', or 2h for two hours ago";
}

} // namespace stoker
