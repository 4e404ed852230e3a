#include "storage/monthly_use.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "scheduling/common/instant.hpp"

namespace stoker {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month;

year_month year_month_of(Instant x) {
  std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(x)};
  return date.year() / date.month();
}

std::string text_of(year_month x) {
  auto digits = [](int value, std::size_t width) {
    auto text = std::to_string(value);
    return std::string(width - std::min(width, text.size()), '0') + text;
  };
  return digits(static_cast<int>(x.year()), 4) + '-'
         + digits(static_cast<int>(static_cast<unsigned>(x.month())), 2);
}

Instant begin_of(year_month x) {
  return Instant{sys_days{x / 1}};
}

/// So far times are believed: clocks of others may be wrong.
constexpr Instant earliest = from_ms(0);
constexpr Instant latest = from_ms(253'402'300'800'000); // the year 10000

} // namespace

std::string month_of(Instant x) {
  return text_of(year_month_of(std::clamp(x, earliest, latest - Duration{1})));
}

bool is_month(std::string_view text) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 7 || text[4] != '-'
      || std::count_if(text.begin(), text.end(), is_digit) != 6)
    return false;
  auto month = (text[5] - '0') * 10 + (text[6] - '0');
  return month >= 1 && month <= 12;
}

std::map<std::string, MonthlyUse>
use_by_month(Instant begin, Instant end, int cores, std::int64_t memory_mb) {
  begin = std::max(begin, earliest);
  end = std::min(end, latest);
  std::map<std::string, MonthlyUse> result;
  while (begin < end) {
    auto month = year_month_of(begin);
    auto next = std::min(end, begin_of(month + std::chrono::months{1}));
    auto ms = (next - begin).count();
    auto& use = result[text_of(month)];
    use.month = text_of(month);
    use.core_ms = ms * cores;
    // Whole seconds of an MB: a month of a large cluster in ms has too many digits.
    use.memory_mb_s = ms * memory_mb / 1000;
    begin = next;
  }
  return result;
}

std::map<std::string, MonthlyUse> use_by_month(const HistoryEntry& x) {
  auto end = from_ms(x.ended_ms);
  auto holds = x.kind == HistoryKind::executor || x.kind == HistoryKind::driver;
  auto result = holds && x.started_ms ? use_by_month(from_ms(*x.started_ms),
                                                     end, x.cores, x.memory_mb)
                                      : std::map<std::string, MonthlyUse>{};
  if (x.kind == HistoryKind::stage)
    return {};
  auto& last = result[month_of(end)];
  last.month = month_of(end);
  last.cpu_ms = x.use && holds ? x.use->cpu_ms : 0;
  last.applications = x.kind == HistoryKind::application ? 1 : 0;
  last.drivers = x.kind == HistoryKind::driver ? 1 : 0;
  last.executors = x.kind == HistoryKind::executor ? 1 : 0;
  for (auto& [month, use] : result) {
    use.company = x.company;
    use.user = x.user;
  }
  return result;
}

void add(MonthlyUse& to, const MonthlyUse& more, int sign) {
  to.core_ms += sign * more.core_ms;
  to.memory_mb_s += sign * more.memory_mb_s;
  to.cpu_ms += sign * more.cpu_ms;
  to.applications += sign * more.applications;
  to.drivers += sign * more.drivers;
  to.executors += sign * more.executors;
}

UseResponse by_company(const UseResponse& x) {
  // In the order of UseResponse: the last month first.
  using Key = std::pair<std::string, std::optional<std::string>>;
  auto is_before = [](const Key& a, const Key& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::map<Key, MonthlyUse, decltype(is_before)> sums{is_before};
  for (const auto& use : x.months) {
    auto& sum = sums[Key{use.month, use.company}];
    sum.month = use.month;
    sum.company = use.company;
    add(sum, use);
  }
  UseResponse result;
  for (auto& [key, sum] : sums)
    result.months.push_back(std::move(sum));
  return result;
}

} // namespace stoker
