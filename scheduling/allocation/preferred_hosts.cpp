#include "scheduling/allocation/preferred_hosts.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace stoker {

namespace {

std::int64_t rounded_up(std::int64_t x, std::int64_t by) {
  return (x + by - 1) / by;
}

struct HostShare {
  std::string host;
  std::int64_t missing = 0;

  /// What it gets: of those that there are the whole part, and what is left of it.
  std::int64_t given = 0;
  std::int64_t rest = 0;
};

/// Hosts where executors are missing, by name.
std::vector<HostShare>
missing_shares(const LocalityHints& wanted, int slots,
               const std::map<std::string, int>& present) {
  std::int64_t named = 0;
  for (const auto& [host, tasks] : wanted.by_host)
    named += tasks;
  auto usable = rounded_up(wanted.tasks, slots);
  std::vector<HostShare> result;
  for (const auto& [host, tasks] : wanted.by_host) {
    auto found = present.find(host);
    auto there = found == present.end() ? 0 : found->second;
    // Never below: `named` is not 0 here.
    auto missing
        = rounded_up(tasks * usable, std::max<std::int64_t>(named, 1)) - there;
    if (missing > 0)
      result.push_back({host, missing, missing});
  }
  return result;
}

/// Gives `further` to the hosts by what they miss, which is more in all. Those that
/// lose most by rounding get one more, the first by name of equal ones.
void share_out(std::vector<HostShare>& hosts, std::int64_t further,
               std::int64_t missing) {
  auto left = further;
  for (auto& x : hosts) {
    x.given = x.missing * further / missing;
    x.rest = x.missing * further % missing;
    left -= x.given;
  }
  std::stable_sort(
      hosts.begin(), hosts.end(),
      [](const auto& a, const auto& b) { return a.rest > b.rest; });
  for (std::size_t i = 0; left > 0; ++i, --left)
    ++hosts[i].given;
}

} // namespace

std::map<std::string, int>
further_on_hosts(const LocalityHints& wanted, int slots,
                 const std::map<std::string, int>& present, int further) {
  assert(slots > 0 && further >= 0);
  auto hosts = missing_shares(wanted, slots, present);
  std::int64_t missing = 0;
  for (const auto& x : hosts)
    missing += x.missing;
  if (missing > further)
    share_out(hosts, further, missing);
  std::map<std::string, int> result;
  for (const auto& x : hosts)
    if (x.given > 0)
      result.emplace(x.host, static_cast<int>(x.given));
  return result;
}

} // namespace stoker
