#include "tests/scheduling/master/random_configs.hpp"

#include <cstdlib>
#include <string>

namespace stoker::test {

namespace {

/// Three companies, small enough for their caps and limits to be reached.
TenantsConfig tenants_for(std::uint64_t seed) {
  TenantsConfig result;
  result.min_executor_cores = 2;
  result.min_executor_memory_mb = 256;
  result.default_request_cores = 3;
  result.accounting
      = seed % 4 == 1 ? Accounting::requested : Accounting::running;
  result.company_order
      = seed % 8 < 4 ? CompanyOrder::dominant_share : CompanyOrder::usage;
  result.user_order
      = seed % 3 == 0 ? UserOrder::occupancy : UserOrder::longest_waiting;
  result.priorities = seed % 3 == 1;
  result.companies = {
      {"c0", {}, {}, {}, {}}, {"c1", 8, 4096, 12, {}}, {"c2", 4, {}, {}, 6000}};
  result.users = {{"a0", "c0", {}, {}, {}},
                  {"a1", "c1", {}, {}, 1},
                  {"a2", "c1", 5, {}, {}},
                  {"a3", "c2", {}, 3000, {}}};
  if (seed % 3 != 0)
    result.default_company = "c0";
  return result;
}

} // namespace

unsigned last_seed(unsigned usual) {
  if (const auto* wished = std::getenv("STOKER_SEEDS"))
    return static_cast<unsigned>(std::stoul(wished));
#if defined(STOKER_SANITIZED)
  // It takes ten times as long.
  return (usual + 2) / 3;
#else
  return usual;
#endif
}

ClusterConfig config_for(std::uint64_t seed) {
  ClusterConfig result;
  result.spread_out = seed % 2 == 0;
  if (seed % 3 == 0)
    result.default_cores = 3;
  result.dead_worker_persistence = static_cast<int>(seed % 4);
  result.max_executor_retries = static_cast<int>(seed % 5) * 4 - 1;
  result.retained_applications = static_cast<int>(seed % 6);
  result.retained_drivers = static_cast<int>(seed % 4);
  result.retained_executors = seed % 3 == 1 ? 1000 : static_cast<int>(seed % 8);
  if (seed % 7 == 0)
    result.reconnect_timeout = Duration{0};
  if (seed % 4 == 1)
    result.outage_timeout = Duration{0};
  if (seed % 3 == 2)
    result.worker_backoff = Duration{0};
  result.worker_selection = static_cast<WorkerSelectionPolicy>(seed % 5);
  result.spread_out_drivers = seed % 4 != 1;
  if (seed % 5 == 2)
    result.max_drivers = 2;
  if (seed % 2 == 1)
    result.tenants = tenants_for(seed);
  if (seed % 4 != 3)
    result.gang_reserve_after = std::chrono::seconds{seed % 4 == 2 ? 20 : 2};
  else
    result.gang_reserve_after = Duration{0};
  result.seed = seed;
  return result;
}

} // namespace stoker::test
