#include "scheduling/tenants/usage_history.hpp"

#include <cmath>

#include "scheduling/tenants/usage_decay.hpp"

namespace stoker {

namespace {

/// `average` moved towards `value`. One operation a statement, so that no
/// compiler makes one operation of two, and all round alike.
double moved(double average, std::int64_t value, double weight) {
  auto difference = static_cast<double>(value) - average;
  auto change = weight * difference;
  return average + change;
}

bool is_amount(double x) {
  return std::isfinite(x) && x >= 0;
}

} // namespace

double UsageHistory::weight(Instant from, Instant now) const {
  return newer_weight(now - from, half_life_);
}

Usage UsageHistory::with(CompanyNumber company, const Resources& occupied,
                         double weight) const {
  const auto& before = companies_[company];
  return {moved(before.cores, occupied.cores, weight),
          moved(before.memory_mb, occupied.memory_mb, weight)};
}

std::optional<std::string> UsageHistory::invariant_violation() const {
  for (const auto& x : companies_)
    if (!is_amount(x.cores) || !is_amount(x.memory_mb))
      return "what a company has used is no amount";
  return std::nullopt;
}

} // namespace stoker
