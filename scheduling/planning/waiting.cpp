#include "scheduling/planning/waiting.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/driver_admission.hpp"

namespace stoker {

bool wants_more(const ClusterState& state, const Application& app) {
  return state.capacity.is_wanted(app.position().value(), app.needs);
}

int cores_wanted(const ClusterState& state, const Application& app) {
  auto executors = std::int64_t{executors_left(app)};
  auto left = cores_left(state, app);
  // With tenants, more may be asked for than counts yet.
  if (const auto* tenants = state.admission.tenants();
      tenants != nullptr
      && tenants->admitted_request(app.key()).cores < app.requested.cores)
    return static_cast<int>(app.requested.cores) - app.executors.cores();
  // As wide as they can be: of these the number says nothing.
  if (!app.stored.cores_per_executor)
    return executors > 0 ? left : 0;
  auto size = app.executor_size();
  auto cores
      = std::min<std::int64_t>(left / size.cores, executors) * size.cores;
  return static_cast<int>(std::max<std::int64_t>(0, cores));
}

WaitingApplication waiting_info(const ClusterState& state,
                                const Application& app) {
  WaitingApplication result;
  result.id = app.stored.id;
  result.name = app.stored.description.name;
  result.user = app.stored.description.user;
  result.executors = app.executors.count();
  result.cores = app.executors.cores();
  result.cores_wanted = app.position() ? cores_wanted(state, app) : 0;
  return result;
}

namespace {

WaitingApplication waiting_info(const Driver& driver) {
  const auto& x = driver.stored.description;
  WaitingApplication result;
  result.driver_id = driver.stored.id;
  result.name = x.name;
  result.user = x.user;
  result.cores = driver.worker ? x.cores : 0;
  if (!driver.worker)
    result.cores_wanted = static_cast<int>(std::min<std::int64_t>(
        whole_of(x).cores, std::numeric_limits<int>::max()));
  return result;
}

/// Puts programs of both kinds into one order, as far as they are shown.
template <class Place>
class ShownPrograms {
public:
  void add(const Place& place, WaitingApplication x) {
    ++in_all_;
    shown_.emplace(place, std::move(x));
    if (shown_.size() > QueuesResponse::admitted_shown_max)
      shown_.erase(std::prev(shown_.end()));
  }

  void finish(std::vector<WaitingApplication>& list, std::int64_t& in_all) && {
    in_all = in_all_;
    for (auto& [place, x] : shown_)
      list.push_back(std::move(x));
  }

private:
  std::map<Place, WaitingApplication> shown_;
  std::int64_t in_all_ = 0;
};

} // namespace

QueuesResponse queues(const ClusterState& state, Instant now) {
  QueuesResponse result;
  const auto* tenants = state.admission.tenants();
  if (tenants != nullptr)
    result.tenants = tenants->view(now);
  ShownPrograms<std::pair<std::uint64_t, ProgramKey>> admitted;
  ShownPrograms<std::pair<Instant, ProgramKey>> queued;
  for (const auto& [key, app] : state.applications.all())
    if (auto position = app.position())
      admitted.add({position->position, key}, waiting_info(state, app));
    else if (tenants != nullptr && app.stored.waits_for.empty())
      queued.add({app.stored.submitted, key}, waiting_info(state, app));
  if (tenants != nullptr) {
    for (const auto& [key, driver] : state.drivers.all())
      if (tenants->is_admitted(key))
        admitted.add({driver.stored.turn.value_or(0), key},
                     waiting_info(driver));
      else if (tenants->is_queued(key))
        queued.add({driver.stored.submitted, key}, waiting_info(driver));
  }
  std::move(admitted).finish(result.admitted, result.admitted_in_all);
  std::move(queued).finish(result.queued, result.queued_in_all);
  return result;
}

} // namespace stoker
