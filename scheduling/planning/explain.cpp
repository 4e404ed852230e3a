#include "scheduling/planning/explain.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "scheduling/common/format.hpp"
#include "scheduling/master/allowance.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/placement/worker_selection.hpp"
#include "scheduling/planning/holders.hpp"
#include "scheduling/planning/queued.hpp"
#include "scheduling/planning/room_report.hpp"
#include "scheduling/planning/start_estimate.hpp"
#include "scheduling/planning/waiting.hpp"

namespace stoker {

namespace {

constexpr std::size_t ahead_shown_max = 10;

/// Which worker a policy takes first.
std::string first_taken(WorkerSelectionPolicy x) {
  switch (x) {
  case WorkerSelectionPolicy::CORES_FREE_DESC:
    return "the one with the most free cores comes first";
  case WorkerSelectionPolicy::CORES_FREE_ASC:
    return "the one with the fewest free cores comes first";
  case WorkerSelectionPolicy::MEMORY_FREE_DESC:
    return "the one with the most free memory comes first";
  case WorkerSelectionPolicy::MEMORY_FREE_ASC:
    return "the one with the least free memory comes first";
  case WorkerSelectionPolicy::WORKER_ID:
    break;
  }
  return "they come in the order of their ids";
}

/// One answer under way.
class Explanation {
public:
  Explanation(const ClusterState& state, Instant now, const AppId& id)
      : state_(state), now_(now) {
    result_.app_id = id;
  }

  ExplanationResponse run() {
    auto key = state_.applications.find(result_.app_id);
    if (key)
      present(state_.applications.at(*key));
    else
      ended();
    return std::move(result_);
  }

private:
  void present(const Application& app) {
    const auto& stored = app.stored;
    result_.found = true;
    result_.name = stored.description.name;
    result_.user = stored.description.user;
    result_.state = stored.state;
    result_.executors = app.executors.count();
    result_.cores = app.executors.cores();
    auto sized = app.position() || state_.admission.tenants() == nullptr;
    auto size = sized ? app.executor_size() : size_for(state_, app);
    result_.cores_per_executor = size.cores;
    result_.memory_per_executor_mb = size.memory_mb;
    name_needs(result_, app.needs);
    auto depends = !stored.waits_for.empty();
    if (const auto* tenants = state_.admission.tenants();
        tenants != nullptr && !depends)
      result_.place = tenants->place(app.key(), now_);
    find_target(app);
    needs_ = {size, app.needs, "an executor of it"};
    count_room(result_, state_, needs_);
    if (depends)
      block_for_others(result_, stored.waits_for);
    else if (app.position())
      admitted(app);
    else
      queued(app);
    if (result_.pending > 0)
      result_.reasons.push_back(
          "it asks for " + format_count(*result_.target, "executor") + ": "
          + std::to_string(result_.executors) + " there, "
          + std::to_string(result_.pending) + " pending");
    failures(app);
    places(app);
  }

  /// How many executors have failed one after another, and with how many it ends.
  void failures(const Application& app) {
    const auto count = app.stored.failures_in_a_row;
    if (count == 0)
      return;
    const auto most = state_.config.max_executor_retries;
    auto reason = format_count(count, "failure") + " of its executors in a row";
    if (most >= 0)
      reason += "; it ends with " + std::to_string(most)
                + (app.instances ? "" : " if none runs then");
    result_.reasons.push_back(std::move(reason));
  }

  /// How many executors it asks for, and what is there of them.
  void find_target(const Application& app) {
    result_.target = app.stored.executor_limit;
    if (result_.target)
      result_.pending = std::max(executors_left(app), 0);
  }

  void ended() {
    const auto* ended = state_.applications.find_ended(result_.app_id);
    if (ended == nullptr)
      return;
    const auto& app = ended->info;
    result_.found = true;
    result_.name = app.name;
    result_.user = app.user;
    result_.state = app.state;
    result_.reasons.push_back("it has ended as " + to_string(app.state)
                              + (app.message ? ": " + *app.message : ""));
  }

  void queued(const Application& app) {
    result_.cores_wanted = static_cast<int>(std::min<std::int64_t>(
        app.requested.cores, std::numeric_limits<int>::max()));
    explain_queued(result_, state_, now_, app.key());
  }

  void admitted(const Application& app) {
    if (app.reconnect_due)
      result_.reasons.emplace_back("the connection to its driver broke; "
                                   "nothing is started for it before "
                                   "the driver is back");
    if (!is_served(app) && executors_left(app) > 0)
      return block(result_, Blocker::cap,
                   "user " + app.stored.description.user
                       + " is not in the tenants file any more",
                   "the tenants file has the user again");
    if (!wants_more(state_, app)) {
      if (!app.reconnect_due)
        satisfied(app);
      return;
    }
    result_.cores_wanted = cores_wanted(state_, app);
    if (app.needs.kind == SparkRelease{})
      find_version_blocker(result_, state_, app, needs_);
    else if (executors_at_once(app) > 1)
      find_gang_blocker(result_, state_, now_, app, needs_);
    else
      find_blocker(result_, state_, needs_);
    if (auto part = what_counts(app); !part.empty())
      result_.reasons.push_back(std::move(part));
    note_kept_room(result_, state_, now_, app);
    find_position(app);
  }

  [[nodiscard]] bool is_served(const Application& app) const {
    const auto* tenants = state_.admission.tenants();
    return tenants == nullptr
           || tenants->is_served(app.stored.description.user);
  }

  /// How much of what it asks for counts, and why not all; empty: all of it.
  [[nodiscard]] std::string what_counts(const Application& app) const {
    const auto* tenants = state_.admission.tenants();
    if (tenants == nullptr)
      return {};
    auto granted = tenants->admitted_request(app.key());
    if (granted.cores >= app.requested.cores)
      return {};
    auto limit = result_.place->reason;
    if (limit.empty())
      limit = tenants->why_full();
    return "it asks for " + format_cores(app.requested.cores) + ", of which "
           + std::to_string(granted.cores)
           + (granted.cores == 1 ? " counts" : " count")
           + (limit.empty() ? "" : ": " + limit);
  }

  /// It has what it asks for, or what it may have.
  void satisfied(const Application& app) {
    if (auto part = what_counts(app); !part.empty()) {
      result_.cores_wanted = cores_wanted(state_, app);
      if (!result_.place->reason.empty())
        return block(result_, Blocker::cap, part,
                     "other applications of them end or want less");
      return block(result_, Blocker::queue, part,
                   "its turn comes, and what is admitted no longer fills the "
                   "cluster");
    }
    result_.reasons.push_back(executors_left(app) <= 0
                                  ? has_what_it_asks_for()
                                  : has_what_it_may_have(app));
  }

  [[nodiscard]] std::string has_what_it_may_have(const Application& app) const {
    auto cores = app.executors.cores();
    auto left = cores_left(state_, app);
    auto result = "it has as many cores as it may have ("
                  + std::to_string(cores) + " of "
                  + std::to_string(left + cores) + ")";
    if (left > 0 && left < result_.cores_per_executor)
      result += ": another executor would need "
                + std::to_string(result_.cores_per_executor) + ", and "
                + std::to_string(left) + (left == 1 ? " is left" : " are left");
    return result;
  }

  [[nodiscard]] std::string has_what_it_asks_for() const {
    auto more = result_.executors - result_.target.value_or(0);
    // Fewer: there is nothing left to do for another.
    if (!result_.target || more < 0)
      return "it has as many executors as it asks for";
    if (more > 0)
      return "it asks for " + format_count(*result_.target, "executor")
             + ", and has " + std::to_string(more)
             + " more until its driver ends them";
    return "it has as many executors as it asks for, "
           + std::to_string(*result_.target)
           + "; its driver asks for another number when it wants one";
  }

  /// How many come before it that want more, too.
  void find_position(const Application& app) {
    for (const auto& position : state_.admission.admitted()) {
      if (position == *app.position())
        break;
      const auto& other = state_.applications.at(position.app);
      if (!wants_more(state_, other))
        continue;
      ++result_.position;
      if (result_.ahead.size() < ahead_shown_max)
        result_.ahead.push_back(waiting_info(state_, other));
    }
    ++result_.position;
    if (result_.position > 1)
      result_.reasons.push_back(
          format_count(result_.position - 1, "application")
          + " that came before it would take what becomes free first, as far "
            "as "
            "it fits them");
  }

  /// Where it runs.
  void places(const Application& app) {
    std::map<WorkerKey, std::pair<int, int>> places;
    for (const auto& [id, executor] : app.executors.present()) {
      auto& [count, cores] = places[executor.worker];
      ++count;
      cores += executor.stored.cores;
    }
    std::size_t shown = 0;
    for (const auto& [key, place] : places) {
      if (++shown > ahead_shown_max) {
        result_.reasons.push_back(
            "and on "
            + format_count(static_cast<std::int64_t>(places.size() - shown + 1),
                           "more worker"));
        break;
      }
      const auto& worker = state_.workers.at(key).stored;
      auto reason = "it has " + format_count(place.first, "executor") + " with "
                    + format_cores(place.second) + " on "
                    + to_string(worker.id);
      if (app.executors.preferred_hosts().contains(worker.host))
        reason += ", a host that it prefers";
      result_.reasons.push_back(std::move(reason));
    }
    if (!places.empty())
      result_.reasons.push_back(
          std::string{state_.config.spread_out
                          ? "executors are spread out over workers"
                          : "workers are filled one by one"}
          + ": " + first_taken(state_.config.worker_selection));
  }

  const ClusterState& state_;
  Instant now_;
  Needs needs_;
  ExplanationResponse result_;
};

} // namespace

ExplanationResponse explain_briefly(const ClusterState& state, Instant now,
                                    const AppId& id) {
  return Explanation{state, std::max(now, state.now), id}.run();
}

ExplanationResponse explain_without_estimate(const ClusterState& state,
                                             Instant now, const AppId& id) {
  auto result = explain_briefly(state, now, id);
  find_holders(result, state);
  return result;
}

ExplanationResponse explain(const Cluster& cluster, Instant now,
                            const AppId& id) {
  now = std::max(now, cluster.now());
  auto result = explain_without_estimate(cluster.state(), now, id);
  if (result.blocker != Blocker::none && can_estimate(cluster.state()))
    result.estimate = estimate_start(cluster, now, id);
  return result;
}

} // namespace stoker
