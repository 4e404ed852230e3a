#include "scheduling/planning/explain_driver.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "scheduling/common/format.hpp"
#include "scheduling/common/limits.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/holders.hpp"
#include "scheduling/planning/queued.hpp"
#include "scheduling/planning/room_report.hpp"

namespace stoker {

namespace {

void explain_ended(ExplanationResponse& result, const ClusterState& state,
                   DriverKey key) {
  const auto& x = state.drivers.at(key).stored;
  result.reasons.push_back("it has ended as " + to_string(x.state)
                           + (x.message ? ": " + *x.message : ""));
  if (!x.relaunched_as)
    return;
  const auto& last = state.drivers.at(state.drivers.last_start(key));
  auto does = last.stored.ended ? " ran in its place, and has ended as "
                                      + to_string(last.stored.state)
              : last.worker ? std::string{" runs in its place"}
                            : std::string{" waits in its place"};
  if (last.stored.id != x.id)
    result.reasons.push_back(to_string(last.stored.id) + does);
}

void explain_running(ExplanationResponse& result, const ClusterState& state,
                     DriverKey key) {
  const auto& x = state.drivers.at(key).stored;
  const auto* kept = state.reservations.find(key);
  result.reasons.push_back("it runs on " + x.worker_id->value);
  if (is_being_ended(x))
    result.reasons.emplace_back(being_ended_text);
  else if (x.restarts > 0)
    result.reasons.push_back(
        "its worker starts it again when it fails"
        + (x.message ? "; how it ended last: " + *x.message : std::string{}));
  if (kept != nullptr && kept->count() > 0)
    result.reasons.push_back("room for "
                             + format_count(kept->count(), "executor")
                             + " is kept until its application registers");
}

/// The executors that it does not start without.
void explain_executors(ExplanationResponse& result, const ClusterState& state,
                       const DriverDescription& driver) {
  const auto& wanted = *driver.executors;
  Needs needs{{wanted.cores, wanted.memory_mb},
              requirements_of_executors(driver),
              "each of its executors"};
  // On the best of the workers that have room for the driver itself.
  auto slots_now = slots_for(state, driver);
  std::int64_t slots = 0;
  Needs own{{driver.cores, driver.memory_mb}, requirements_of(driver), "it"};
  for (const auto& [key, worker] : state.workers.all())
    if (state.capacity.has_room(key, own.size, own.others))
      slots = std::max(slots, slots_beside(state, key, driver, slots_now));
  auto all
      = format_count(wanted.count, "executor") + " of " + format_needs(needs);
  block(result, Blocker::fragments,
        "it starts only together with " + all + "; there is room for "
            + std::to_string(std::min<std::int64_t>(slots, wanted.count))
            + " and the driver at most",
        "there is room for it and " + all);
}

void explain_waiting(ExplanationResponse& result, const ClusterState& state,
                     const Driver& driver) {
  const auto& x = driver.stored.description;
  Needs needs{{x.cores, x.memory_mb}, requirements_of(x), "it"};
  count_room(result, state, needs);
  if (!driver.stored.waits_for.empty())
    return block_for_others(result, driver.stored.waits_for);
  DriverKey number{driver.stored.number};
  if (const auto* tenants = state.admission.tenants()) {
    result.place = tenants->place(number, state.now);
    result.cores_wanted = static_cast<int>(
        std::min<std::int64_t>(whole_of(x).cores, cores_max));
    if (tenants->is_queued(number))
      return explain_queued(result, state, state.now, number);
  }
  if (result.workers_with_room == 0)
    find_blocker(result, state, needs);
  else if (needs_executors(x))
    explain_executors(result, state, x);
  for (auto key : state.drivers.waiting()) {
    if (state.drivers.at(key).stored.id == driver.stored.id)
      break;
    ++result.position;
  }
  if (result.position > 0)
    result.reasons.push_back(
        format_count(result.position, "driver")
        + " that came before it would take what becomes free first");
  ++result.position;
}

} // namespace

ExplanationResponse explain_briefly(const ClusterState& state,
                                    const DriverId& id) {
  ExplanationResponse result;
  result.driver_id = id;
  auto key = state.drivers.find(id);
  if (!key)
    return result;
  const auto& driver = state.drivers.at(*key);
  const auto& stored = driver.stored;
  result.found = true;
  result.name = stored.description.name;
  result.user = stored.description.user;
  result.driver_state = stored.state;
  result.cores_per_executor = stored.description.cores;
  result.memory_per_executor_mb = stored.description.memory_mb;
  name_needs(result, requirements_of(stored.description));
  if (stored.ended || stored.relaunched_as)
    explain_ended(result, state, *key);
  else if (driver.worker)
    explain_running(result, state, *key);
  else
    explain_waiting(result, state, driver);
  return result;
}

ExplanationResponse explain(const ClusterState& state, const DriverId& id) {
  auto result = explain_briefly(state, id);
  find_holders(result, state);
  return result;
}

} // namespace stoker
