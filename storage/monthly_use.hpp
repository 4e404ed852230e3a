#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "messages/history.hpp"
#include "messages/instant.hpp"

namespace stoker {

/// The month of a time, in UTC: "2026-11".
std::string month_of(Instant x);

/// Whether a text is a month.
bool is_month(std::string_view text);

/// What was held for some time, by month. Pure.
/// @param cores,memory_mb not negative
/// @return by month; nothing where `end` is not after `begin`
std::map<std::string, MonthlyUse>
use_by_month(Instant begin, Instant end, int cores, std::int64_t memory_mb);

/// What one that ended has to do with months: what it held in each, and that it ended
/// in the last. Month, company and user are set.
std::map<std::string, MonthlyUse> use_by_month(const HistoryEntry& x);

/// The users of each company added up.
UseResponse by_company(const UseResponse& x);

/// Adds what was held, used and ended. Months, companies and users stay.
void add(MonthlyUse& to, const MonthlyUse& more, int sign = 1);

} // namespace stoker
