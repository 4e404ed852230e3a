#include "tools/stoker/status_filter.hpp"

#include <map>
#include <set>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include "messages/jobs_report.hpp"
#include "messages/last_start.hpp"

namespace stoker {

namespace {

template <class Enum>
bool names(const std::string& text) {
  Enum x{};
  return boost::describe::enum_from_string(text.c_str(), x);
}

template <class Enum>
void add_state_names(std::vector<std::string>& out) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>(
      [&](auto x) {
        out.push_back(boost::algorithm::to_lower_copy(std::string{x.name}));
      });
}

template <class... Enums>
std::vector<std::string> state_names_of() {
  std::vector<std::string> result;
  (add_state_names<Enums>(result), ...);
  return result;
}

/// The driver with those that were started in its place after it.
std::set<DriverId> with_successors(const DriverId& first,
                                   const MasterStateResponse& state) {
  std::map<DriverId, DriverId> successors;
  for (const auto* drivers : {&state.active_drivers, &state.completed_drivers})
    for (const auto& x : *drivers)
      if (x.relaunched_as)
        successors.emplace(x.id, *x.relaunched_as);
  std::set<DriverId> result;
  for (auto id = first; result.insert(id).second;)
    if (auto next = successors.find(id); next != successors.end())
      id = next->second;
  return result;
}

class Wanted {
public:
  Wanted(const StatusFilter& filter, const MasterStateResponse& state)
      : filter_(filter) {
    if (filter.driver_id)
      drivers_ = with_successors(*filter.driver_id, state);
  }

  [[nodiscard]] bool operator()(const WorkerInfo& x) const {
    return is(x.state) && (!filter_.worker_id || x.id == *filter_.worker_id)
           && !(filter_.only_active && x.state == WorkerState::DEAD);
  }
  [[nodiscard]] bool operator()(const ExecutorInfo& x) const {
    return (is(x.state) || (is(ExecutorState::FAILED) && has_failed(x)))
           && (!filter_.worker_id || x.worker_id == *filter_.worker_id)
           && !(filter_.only_active && x.ended_ms);
  }
  [[nodiscard]] bool operator()(const ApplicationInfo& x) const {
    return is(x.state) && is_users(x);
  }
  [[nodiscard]] bool operator()(const DriverInfo& x) const {
    return is(x.state) && (!filter_.user || x.user == *filter_.user)
           && (!filter_.driver_id || drivers_.contains(x.id))
           && (!filter_.worker_id || x.worker_id == filter_.worker_id);
  }
  [[nodiscard]] bool is_users(const ApplicationInfo& x) const {
    return (!filter_.user || x.user == *filter_.user)
           && (!filter_.app_id || x.id == *filter_.app_id);
  }

private:
  template <class Enum>
  [[nodiscard]] bool is(Enum state) const {
    return !filter_.state || to_string(state) == *filter_.state;
  }

  /// Spark calls that EXITED.
  static bool has_failed(const ExecutorInfo& x) {
    return x.state == ExecutorState::EXITED && x.exit_status.value_or(0) != 0;
  }

  const StatusFilter& filter_;

  /// If `driver_id` is set.
  std::set<DriverId> drivers_;
};

} // namespace

bool is_state(const std::string& name) {
  return names<WorkerState>(name) || names<ApplicationState>(name)
         || names<ExecutorState>(name) || names<DriverState>(name);
}

std::vector<std::string> state_names() {
  return state_names_of<WorkerState, ApplicationState, ExecutorState,
                        DriverState>();
}

std::vector<std::string> job_state_names() {
  return state_names_of<JobStatus>();
}

std::vector<std::string> stage_state_names() {
  return state_names_of<StageStatus>();
}

bool is_job_state(const std::string& name) {
  return names<JobStatus>(name);
}

bool is_stage_state(const std::string& name) {
  return names<StageStatus>(name);
}

namespace {

/// Puts a driver that was started again elsewhere among the active ones while it runs there.
void describe_by_last_start(MasterStateResponse& state, const DriverId& id) {
  auto find = [&](const DriverId& x) -> std::optional<DriverInfo> {
    for (const auto* list : {&state.active_drivers, &state.completed_drivers})
      for (const auto& driver : *list)
        if (driver.id == x)
          return driver;
    return std::nullopt;
  };
  auto driver = find(id);
  if (!driver || !driver->relaunched_as)
    return;
  auto last = by_last_start(*driver, find);
  for (auto* list : {&state.active_drivers, &state.completed_drivers})
    std::erase_if(*list, [&](const DriverInfo& x) { return x.id == id; });
  (last.ended_ms ? state.completed_drivers : state.active_drivers)
      .push_back(std::move(last));
}

} // namespace

void filter(MasterStateResponse& state, const StatusFilter& wanted,
            bool executors_alone) {
  if (wanted.driver_id)
    describe_by_last_start(state, *wanted.driver_id);
  Wanted is_wanted{wanted, state};
  auto keep = [&](auto& list) {
    std::erase_if(list, [&](const auto& x) { return !is_wanted(x); });
  };
  if (wanted.only_active) {
    state.completed_apps.clear();
    state.completed_drivers.clear();
  }
  keep(state.workers);
  keep(state.active_drivers);
  keep(state.completed_drivers);
  for (auto* apps : {&state.active_apps, &state.completed_apps}) {
    if (!executors_alone) {
      keep(*apps);
      continue;
    }
    for (auto& app : *apps)
      keep(app.executors);
    std::erase_if(*apps, [&](const ApplicationInfo& x) {
      return x.executors.empty() || !is_wanted.is_users(x);
    });
  }
}

} // namespace stoker
