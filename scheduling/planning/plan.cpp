#include "scheduling/planning/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/common/host_name.hpp"
#include "scheduling/common/limits.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

namespace {

constexpr std::size_t new_apps_max = 100;
constexpr std::size_t new_drivers_max = 100;

/// Each is kept, and told of.
constexpr int starts_max = 100'000;

/// Why an application waits, in one line; empty: it does not.
std::string reason_to_wait(const ExplanationResponse& x) {
  if (x.blocker == Blocker::none || x.reasons.empty())
    return {};
  // Of one in a queue what comes first is its place there.
  return x.place && !x.place->admitted && !x.place->reason.empty()
             ? x.place->reason
             : x.reasons.front();
}

PlanResponse plan_refused(std::string why) {
  PlanResponse result;
  result.problem = std::move(why);
  return result;
}

/// A copy that is stepped, and what came of it.
class Rehearsal {
public:
  Rehearsal(Cluster copy, Instant now, const IsToStop& is_to_stop)
      : is_to_stop_(is_to_stop), cluster_(std::move(copy)),
        now_(std::max(now, cluster_.now())),
        drivers_before_(cluster_.state().drivers.count_ever()),
        first_end_(cluster_.state().drivers.next_end_number()) {
    cluster_.keep_what_ends();
    // With one more it is known that there are too many.
    cluster_.limit_starts(starts_max + 1);
  }

  /// Nothing, once there is a problem.
  void step(const Event& what) {
    if (!goes_on())
      return;
    for (const auto& message :
         step_with_ends(cluster_, now_, what, is_to_stop_))
      if (const auto* started = std::get_if<StartExecutor>(&message))
        note_start(*started);
      else if (const auto* driver = std::get_if<StartDriver>(&message))
        started_drivers_.insert(
            cluster_.state().drivers.find(driver->driver_id).value());
      else if (const auto* sent = std::get_if<Send>(&message))
        note_notice(*sent);
      else
        note_answer(std::get<Reply>(message).answer);
  }

  /// Registers an application that is only thought of.
  void add(ApplicationDescription description) {
    auto endpoint = EndpointId{"new-app-" + std::to_string(++new_apps_)};
    if (description.name.empty())
      description.name = endpoint.value;
    if (description.command.arguments.empty())
      description.command.arguments = {description.name};
    refusals_[endpoint];
    auto name = description.name;
    step(RegisterApplication{std::move(description), endpoint, std::nullopt});
    if (auto refusal = refusals_.extract(endpoint); !refusal.mapped().empty())
      outcomes_.push_back({{}, name, 0, 0, 0, refusal.mapped()});
  }

  /// Submits a driver that is only thought of.
  void add(DriverDescription description) {
    if (!goes_on())
      return;
    if (description.name.empty())
      description.name = "new-driver-" + std::to_string(++new_drivers_);
    if (description.command.arguments.empty())
      description.command.arguments = {description.name};
    PlannedDriver refused;
    refused.name = description.name;
    refused.state = DriverState::ERROR;
    refused.cores = description.cores;
    refused.memory_mb = description.memory_mb;
    refusal_.clear();
    step(RequestSubmitDriver{std::move(description), {}, {}});
    refused.reason = refusal_;
    if (!refusal_.empty())
      refused_drivers_.push_back(std::move(refused));
  }

  /// Ends a driver with its applications.
  void end(const DriverId& id) {
    for (const auto& app : applications_of(cluster_.state(), id))
      end(app);
    step(DriverStateChanged{id, DriverState::FINISHED, {}, 0});
  }

  /// Ends an application. What a step before has started of it never is.
  void end(const AppId& id) {
    step(UnregisterApplication{id});
    std::erase_if(starts_, [&](const auto& x) { return x.first.first == id; });
    touched_.erase(id);
  }

  /// Nothing more is started on a worker.
  void close(const WorkerId& id) {
    step(WorkerDecommissioning{id, {}});
  }

  /// Ends all that a worker runs, which has been closed.
  void empty(const WorkerId& id) {
    auto key = cluster_.state().workers.find(id);
    if (!key)
      return;
    const auto programs = cluster_.state().workers.at(*key).programs;
    for (const auto& [app, exec_id] : programs.executors)
      step(ExecutorStateChanged{cluster_.state().applications.at(app).stored.id,
                                exec_id, ExecutorState::KILLED,
                                "its worker leaves", std::nullopt});
    for (auto driver : programs.drivers)
      step(DriverStateChanged{cluster_.state().drivers.at(driver).stored.id,
                              DriverState::KILLED, "its worker leaves",
                              std::nullopt});
  }

  PlanResponse finish() {
    PlanResponse result;
    for (auto& [key, start] : starts_)
      result.starts.push_back(std::move(start));
    for (auto& [id, outcome] : touched_) {
      if (!goes_on())
        return problem_;
      auto why = explain_briefly(cluster_.state(), now_, id);
      outcome.name = why.name;
      outcome.cores_wanted = why.cores_wanted;
      outcome.reason = reason_to_wait(why);
      result.outcomes.push_back(std::move(outcome));
    }
    result.outcomes.insert(result.outcomes.end(), outcomes_.begin(),
                           outcomes_.end());
    auto [total, free] = total_and_free(cluster_.state());
    result.total = total;
    result.free = free;
    for (auto driver : concerned_drivers()) {
      if (!goes_on())
        return problem_;
      result.drivers.push_back(outcome_of(driver));
    }
    result.drivers.insert(result.drivers.end(), refused_drivers_.begin(),
                          refused_drivers_.end());
    return goes_on() ? result : problem_;
  }

private:
  /// Whether there is no problem so far.
  bool goes_on() {
    if (!problem_.problem.empty())
      return false;
    if (cluster_.state().starts_left == 0)
      problem_
          = plan_refused("more than " + std::to_string(starts_max)
                         + " executors would be started; plan for fewer at "
                           "once, or for larger ones");
    else if (stops(is_to_stop_))
      problem_ = plan_that_took_too_long();
    return problem_.problem.empty();
  }

  void note_start(const StartExecutor& x) {
    auto worker = worker_at(cluster_.state(), x.to).value_or(WorkerId{});
    auto& start = starts_[{x.app_id, worker}];
    start.app_id = x.app_id;
    if (const auto* description = find_description(cluster_.state(), x.app_id))
      start.name = description->name;
    start.worker_id = worker;
    ++start.executors;
    start.cores += x.cores;
    start.memory_mb += x.memory_mb;
    ++touch(x.app_id).executors_started;
  }

  void note_notice(const Send& x) {
    if (const auto* removed = std::get_if<ApplicationRemoved>(&x.message)) {
      if (auto i = refusals_.find(x.to); i != refusals_.end())
        i->second = removed->message;
    } else if (const auto* registered
               = std::get_if<RegisteredApplication>(&x.message)) {
      touch(registered->app_id);
    } else if (const auto* updated = std::get_if<ExecutorUpdated>(&x.message)) {
      if (updated->state == ExecutorState::DECOMMISSIONED
          || updated->state == ExecutorState::LOST
          || updated->state == ExecutorState::KILLED)
        if (auto id = application_at(cluster_.state(), x.to))
          ++touch(*id).executors_lost;
    }
  }

  void note_answer(const Answer& x) {
    if (const auto* submitted = std::get_if<SubmitDriverResponse>(&x))
      refusal_ = submitted->message;
  }

  /// Those that have been started, have ended or have come.
  [[nodiscard]] std::set<DriverKey> concerned_drivers() const {
    const auto& drivers = cluster_.state().drivers;
    auto result = started_drivers_;
    const auto& ended = drivers.ended();
    for (auto i = ended.lower_bound(first_end_); i != ended.end(); ++i)
      result.insert(i->second);
    const auto& all = drivers.all();
    for (auto i = all.lower_bound(DriverKey{drivers_before_}); i != all.end();
         ++i)
      result.insert(i->first);
    return result;
  }

  [[nodiscard]] PlannedDriver outcome_of(DriverKey key) const {
    auto info = info_of(cluster_.state(), key);
    PlannedDriver result;
    result.driver_id = info.id;
    result.name = info.name;
    result.state = info.state;
    result.worker_id = info.worker_id;
    result.cores = info.cores;
    result.memory_mb = info.memory_mb;
    result.relaunched_as = info.relaunched_as;
    result.executors_reserved = info.executors_reserved;
    if (info.ended_ms)
      result.reason = info.message.value_or("");
    else if (info.state == DriverState::SUBMITTED)
      result.reason
          = reason_to_wait(explain_briefly(cluster_.state(), info.id));
    return result;
  }

  PlannedOutcome& touch(const AppId& id) {
    auto& result = touched_[id];
    result.app_id = id;
    return result;
  }

  const IsToStop& is_to_stop_;
  Cluster cluster_;
  Instant now_;
  PlanResponse problem_;

  /// How many drivers there had been, and the number of the first one that ends.
  std::uint32_t drivers_before_;
  std::uint64_t first_end_;
  std::set<DriverKey> started_drivers_;

  int new_apps_ = 0;
  int new_drivers_ = 0;
  std::map<std::pair<AppId, WorkerId>, PlannedStart> starts_;
  std::map<AppId, PlannedOutcome> touched_;
  std::vector<PlannedOutcome> outcomes_;

  /// Of applications that are being registered.
  std::map<EndpointId, std::string> refusals_;

  /// Of the driver that is being submitted; empty: it is taken.
  std::string refusal_;
  std::vector<PlannedDriver> refused_drivers_;
};

Status validate_plan(const Cluster& cluster, const RequestPlan& request) {
  if (cluster.status() != RecoveryState::ALIVE)
    return invalid("the master is " + to_string(cluster.status())
                   + "; it plans when it is ALIVE");
  for (const auto& id : request.end_apps)
    if (find_description(cluster.state(), id) == nullptr)
      return invalid("application " + to_string(id) + " is not running here");
  for (const auto& id : request.end_drivers) {
    auto key = cluster.state().drivers.find(id);
    if (!key || cluster.state().drivers.at(*key).stored.ended)
      return invalid("driver " + to_string(id) + " is not running here");
  }
  for (const auto& id : request.remove_workers)
    if (!cluster.state().workers.find(id).has_value())
      return invalid("worker " + to_string(id) + " is not here");
  return check_plan(request);
}

/// An id that stands among others twice.
template <class Id>
std::optional<Id> repeated_id(const std::vector<Id>& ids) {
  std::set<Id> seen;
  for (const auto& x : ids)
    if (!seen.insert(x).second)
      return x;
  return std::nullopt;
}

} // namespace

Status check_plan(const RequestPlan& request) {
  if (auto id = repeated_id(request.end_apps))
    return invalid("application " + to_string(*id) + " is to end twice");
  if (auto id = repeated_id(request.end_drivers))
    return invalid("driver " + to_string(*id) + " is to end twice");
  if (auto id = repeated_id(request.remove_workers))
    return invalid("worker " + to_string(*id) + " is to leave twice");
  std::int64_t workers = 0;
  for (const auto& x : request.add_workers) {
    if (x.count <= 0)
      return invalid("the count of a planned worker is at least 1");
    if (x.cores <= 0 || x.memory_mb <= 0)
      return invalid(
          "a planned worker needs at least 1 core and 1 MB of memory");
    // As when it would register.
    if (!is_host_name(x.host))
      return invalid("the host of a planned worker is no name or address of a "
                     "host");
    if (auto kinds = program_kinds(x.spark_versions, false); !kinds)
      return kinds.error();
    // It would not be taken either.
    if (x.cores > cores_max || x.memory_mb > memory_mb_max)
      return invalid("no machine has so many cores or so much memory as a "
                     "planned worker");
    workers += x.count;
  }
  if (workers > new_workers_max)
    return invalid("at most " + std::to_string(new_workers_max)
                   + " workers can be planned");
  if (request.add_apps.size() > new_apps_max)
    return invalid("at most " + std::to_string(new_apps_max)
                   + " applications can be planned");
  if (request.add_drivers.size() > new_drivers_max)
    return invalid("at most " + std::to_string(new_drivers_max)
                   + " drivers can be planned");
  return {};
}

PlanResponse plan_that_took_too_long() {
  return plan_refused(
      "the plan took too long and was given up; plan for less at "
      "once, or try again");
}

PlanResponse plan(Cluster copy, Instant now, const RequestPlan& request,
                  const IsToStop& is_to_stop) {
  if (auto valid = validate_plan(copy, request); !valid)
    return plan_refused(valid.error().message);
  Rehearsal rehearsal{std::move(copy), now, is_to_stop};
  // What goes at the same moment takes over nothing from what else goes.
  for (const auto& id : request.remove_workers)
    rehearsal.close(id);
  for (const auto& id : request.end_apps)
    rehearsal.end(id);
  for (const auto& id : request.end_drivers)
    rehearsal.end(id);
  for (const auto& id : request.remove_workers)
    rehearsal.empty(id);
  int number = 0;
  for (const auto& x : request.add_workers)
    for (int i = 0; i < x.count; ++i) {
      auto name = "new-worker-" + std::to_string(++number);
      RegisterWorker worker{WorkerId{name},
                            EndpointId{name},
                            x.host.empty() ? name : x.host,
                            0,
                            x.cores,
                            x.memory_mb,
                            x.resources};
      worker.spark_versions = x.spark_versions;
      rehearsal.step(worker);
    }
  for (const auto& x : request.add_drivers)
    rehearsal.add(x);
  for (const auto& x : request.add_apps)
    rehearsal.add(x);
  return rehearsal.finish();
}

} // namespace stoker
