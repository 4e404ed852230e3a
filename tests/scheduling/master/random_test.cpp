// What holds whatever happens, in whatever order. A failing run names its seed.

#include <algorithm>
#include <set>
#include <string>

#include "scheduling/master/invariants.hpp"
#include "scheduling/master/render.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "tests/scheduling/master/random_configs.hpp"
#include "tests/scheduling/master/random_events.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr int steps = 3000;

/// Whether nothing of the application has been admitted.
bool queued(const Cluster& cluster, const AppId& id) {
  auto blocker = explain_briefly(cluster.state(), {}, id).blocker;
  return blocker == Blocker::queue || blocker == Blocker::dependency;
}

/// Executors that it needs at once; 1: it takes what there is.
int at_once(const Cluster& cluster, const ApplicationInfo& app) {
  auto present = static_cast<int>(
      std::count_if(app.executors.begin(), app.executors.end(),
                    [](const auto& x) { return !x.ended_ms; }));
  auto gang
      = std::min(app.gang.value_or(1), app.executor_limit.value_or(1'000'000));
  if (const auto& x = find_description(cluster.state(), app.id)->instances)
    gang = std::min(gang, x->count - app.instances_done);
  return std::max(1, gang - present);
}

/// An application of which a part of its gang was started, if there is one.
std::string started_in_part(const Cluster& cluster,
                            const MasterStateResponse& state,
                            const OutgoingMessages& messages) {
  std::set<AppId> started;
  for (const auto& x : messages)
    if (const auto* start = std::get_if<StartExecutor>(&x))
      started.insert(start->app_id);
  for (const auto& app : state.active_apps)
    if (started.contains(app.id) && at_once(cluster, app) > 1)
      return to_string(app.id);
  return {};
}

/// How many more executors the application may have.
int executors_wanted(const Cluster& cluster, const ApplicationInfo& app) {
  int present = 0;
  std::set<int> busy_or_done;
  for (const auto& x : app.executors) {
    present += x.ended_ms ? 0 : 1;
    // One that was killed may not have ended yet.
    if (x.index
        && (!x.ended_ms || x.exit_status == 0
            || x.state == ExecutorState::KILLED))
      busy_or_done.insert(*x.index);
  }
  int wanted = app.executor_limit.value_or(1'000'000) - present;
  const auto& instances = find_description(cluster.state(), app.id)->instances;
  if (!instances)
    return wanted;
  // One that failed too often is not started again either.
  if (instances->keep_going)
    return std::min(wanted, instances->count - app.instances_done - present);
  // Instances that ended well may have been forgotten.
  auto ended = static_cast<int>(app.executors.size()) - present;
  if (ended >= cluster.config().retained_executors)
    return 0;
  return std::min(wanted,
                  instances->count - static_cast<int>(busy_or_done.size()));
}

/// Whether its driver is.
bool is_away(const Cluster& cluster, const AppId& id) {
  const auto& applications = cluster.state().applications;
  auto key = applications.find(id);
  return key && applications.at(*key).reconnect_due;
}

/// "3.5." of "3.5.9"
std::string release_of(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1) + 1);
}

/// Whether the worker has what such programs are run with.
bool runs(const WorkerInfo& worker, const Command& program) {
  if (!program.spark)
    return !worker.only_spark;
  return std::any_of(worker.spark_versions.begin(), worker.spark_versions.end(),
                     [&](const auto& version) {
                       return release_of(version)
                              == release_of(program.spark->version);
                     });
}

/// Something that was started where nothing runs it, if anything was.
std::string started_where_it_cannot_run(const Cluster& cluster,
                                        const MasterStateResponse& state,
                                        const OutgoingMessages& messages) {
  auto cannot = [&](const EndpointId& to, const auto* description) {
    auto id = worker_at(cluster.state(), to);
    return description != nullptr
           && std::any_of(state.workers.begin(), state.workers.end(),
                          [&](const auto& worker) {
                            return worker.id == id
                                   && !runs(worker, description->command);
                          });
  };
  for (const auto& x : messages)
    if (const auto* executor = std::get_if<StartExecutor>(&x)) {
      if (cannot(executor->to,
                 find_description(cluster.state(), executor->app_id)))
        return to_string(x);
    } else if (const auto* begun = std::get_if<StartDriver>(&x)) {
      if (cannot(begun->to,
                 find_description(cluster.state(), begun->driver_id)))
        return to_string(x);
    }
  return {};
}

/// Something that waits although a worker has room for it, if anything does.
/// A model that knows no index and no short cut, only what everybody sees.
std::string idle_and_waiting(const Cluster& cluster,
                             const MasterStateResponse& state) {
  auto times = [](const WorkerInfo& worker, const ResourceAmounts& named) {
    auto count = [](const ResourceAddresses& all, const std::string& name) {
      auto i = all.find(name);
      return i == all.end() ? 0 : static_cast<int>(i->second.size());
    };
    return std::all_of(named.begin(), named.end(), [&](const auto& x) {
      return count(worker.resources, x.first)
                 - count(worker.resources_used, x.first)
             >= x.second;
    });
  };
  auto has_room = [&](int cores, std::int64_t memory_mb,
                      const ResourceAmounts& named, const Command& program) {
    return std::any_of(state.workers.begin(), state.workers.end(),
                       [&](const WorkerInfo& x) {
                         return x.state == WorkerState::ALIVE && !x.problem
                                && x.cores - x.cores_used >= cores
                                && x.memory_mb - x.memory_used_mb >= memory_mb
                                && times(x, named) && runs(x, program);
                       });
  };
  /// For how many executors there is room, worker by worker.
  auto slots = [&](int cores, std::int64_t memory_mb,
                   const ApplicationDescription& app, bool one_each) {
    const auto& named = app.resources_per_executor;
    auto result = 0;
    for (auto worker : state.workers) {
      auto is_first = true;
      while (worker.state == WorkerState::ALIVE && !worker.problem
             && worker.cores - worker.cores_used >= cores
             && worker.memory_mb - worker.memory_used_mb >= memory_mb
             && times(worker, named) && runs(worker, app.command)
             && (is_first || !one_each)) {
        ++result;
        is_first = false;
        worker.cores_used += cores;
        worker.memory_used_mb += memory_mb;
        for (const auto& [name, amount] : named)
          for (int i = 0; i < amount; ++i)
            worker.resources_used[name].push_back("taken");
      }
    }
    return result;
  };
  auto running = std::count_if(
      state.active_drivers.begin(), state.active_drivers.end(),
      [](const DriverInfo& x) { return x.state != DriverState::SUBMITTED; });
  for (const auto& x : state.active_drivers) {
    const auto& description = *find_description(cluster.state(), x.id);
    // That one waits in a queue, or for a cap, is the tenants' business.
    auto blocker = explain_briefly(cluster.state(), x.id).blocker;
    if (blocker == Blocker::queue || blocker == Blocker::cap)
      continue;
    // Whether the executors of one fit too is another question.
    if (x.state == DriverState::SUBMITTED && x.waits_for.empty()
        && !description.executors
        && (!cluster.config().max_drivers
            || running < *cluster.config().max_drivers)
        && has_room(x.cores, x.memory_mb, description.resources,
                    description.command))
      return to_string(x.id);
  }
  for (const auto& x : state.active_apps) {
    if (queued(cluster, x.id) || is_away(cluster, x.id))
      continue;
    auto min = x.cores_per_executor.value_or(1);
    const auto& description = *find_description(cluster.state(), x.id);
    if (auto gang = at_once(cluster, x); gang > 1) {
      // With tenants, more may be asked for than counts yet.
      auto cores_max
          = x.max_cores ? x.max_cores : cluster.config().default_cores;
      if (!cluster.config().tenants
          && (!cores_max || *cores_max - x.cores_granted >= gang * min)
          && executors_wanted(cluster, x) >= gang
          && slots(min, x.memory_per_executor_mb, description,
                   !x.cores_per_executor)
                 >= gang)
        return to_string(x.id) + " with its gang";
      continue;
    }
    if (cluster.config().tenants) {
      // Caps and limits are the tree's: its own tests compare those.
      auto why = explain_briefly(cluster.state(), {}, x.id);
      if (why.blocker != Blocker::none && why.blocker != Blocker::cap
          && why.workers_with_room > 0)
        return to_string(x.id);
      continue;
    }
    auto cap = x.max_cores ? x.max_cores : cluster.config().default_cores;
    if ((!cap || *cap - x.cores_granted >= min)
        && executors_wanted(cluster, x) > 0
        && has_room(min, x.memory_per_executor_mb,
                    description.resources_per_executor, description.command))
      return to_string(x.id);
  }
  return {};
}

/// A report that may be older than the work that it does not mention does not
/// count; the next one does.
bool was_put_aside(const Cluster& cluster, const Event& what) {
  WorkerId id;
  if (const auto* x = std::get_if<WorkerLatestState>(&what))
    id = x->id;
  else if (const auto* y = std::get_if<WorkerSchedulerStateResponse>(&what))
    id = y->id;
  else
    return false;
  auto state = snapshot(cluster.state());
  return std::any_of(state.workers.begin(), state.workers.end(),
                     [&](const WorkerInfo& x) {
                       return x.id == id && x.state == WorkerState::UNKNOWN;
                     });
}

/// Something that is stored as having ended at a time when it cannot have.
std::string ended_at_the_wrong_time(const Cluster& cluster,
                                    const StepResult& result) {
  auto is_wrong = [&](Instant began, std::optional<Instant> ended) {
    return ended && (*ended < began || *ended > cluster.state().now);
  };
  for (const auto& change : result.changes)
    if (const auto* x = std::get_if<StoredExecutor>(&change)) {
      if (is_wrong(
              std::max(x->launched, x->running_since.value_or(x->launched)),
              x->ended))
        return to_string(ExecutorId{x->app_id, x->exec_id});
    } else if (const auto* y = std::get_if<StoredDriver>(&change)) {
      if (is_wrong(y->started.value_or(y->submitted), y->ended))
        return to_string(y->id);
    }
  return {};
}

std::string rendered(const StepResult& x) {
  std::string result;
  for (const auto& line : to_lines(x))
    result += line + '\n';
  return result;
}

} // namespace

TEST_CASE("the state is consistent after any event", "[scheduling][random]") {
  auto seed = GENERATE(range(1U, last_seed(12) + 1));
  INFO("seed " << seed);
  Cluster cluster{config_for(seed)};
  RandomEvents events{seed};
  auto state = snapshot(cluster.state());
  for (int i = 0; i < steps; ++i) {
    auto [now, what] = events.next(state);
    auto effects = cluster.step(now, what);
    state = snapshot(cluster.state());
    auto problem = invariant_violation(cluster.state()).value_or("");
    auto waiting = idle_and_waiting(cluster, state);
    auto part = started_in_part(cluster, state, effects.messages);
    auto misplaced
        = started_where_it_cannot_run(cluster, state, effects.messages);
    auto untimely = ended_at_the_wrong_time(cluster, effects);
    if (problem.empty() && waiting.empty() && part.empty() && misplaced.empty()
        && untimely.empty())
      continue;
    INFO("step " << i << ": " << to_string(what) << '\n' << rendered(effects));
    REQUIRE(problem == "");
    // Work-conserving: nothing waits for what is there.
    REQUIRE(waiting == "");
    REQUIRE(part == "");
    REQUIRE(misplaced == "");
    REQUIRE(untimely == "");
  }
  SUCCEED();
}

TEST_CASE("an estimate of a start is never in the past",
          "[scheduling][random]") {
  auto estimates = 0U;
  auto seeds = last_seed(12);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    Cluster cluster{config_for(seed)};
    RandomEvents events{seed};
    for (int i = 0; i < steps; ++i) {
      auto [now, what] = events.next(snapshot(cluster.state()));
      (void)cluster.step(now, what);
      // Each estimate takes a copy of the cluster.
      if (i % 10 != 0)
        continue;
      for (const auto& x : snapshot(cluster.state()).active_apps) {
        auto why = explain(cluster, now, x.id);
        if (!why.estimate)
          continue;
        ++estimates;
        INFO("step " << i << ": " << to_string(what));
        REQUIRE(why.estimate->in_ms >= 0);
        REQUIRE(why.blocker != Blocker::none);
      }
    }
  }
  // Without a minimum, it might compare nothing.
  CHECK(estimates > 5 * seeds);
}

// Goal: replay. Equal configurations and events give equal effects.
TEST_CASE("the same events lead to the same effects", "[scheduling][random]") {
  auto seed = GENERATE(range(1U, last_seed(4) + 1));
  INFO("seed " << seed);
  Cluster first{config_for(seed)};
  Cluster second{config_for(seed)};
  RandomEvents events{seed};
  for (int i = 0; i < steps; ++i) {
    auto [now, what] = events.next(snapshot(first.state()));
    auto expected = first.step(now, what);
    auto actual = second.step(now, what);
    if (actual != expected)
      FAIL("step " << i << ": " << to_string(what));
  }
  CHECK(snapshot(first.state()) == snapshot(second.state()));
}

// Goal: planning steps a copy, which neither differs from the original nor
// touches it.
TEST_CASE("a copy goes on as the original does", "[scheduling][random]") {
  auto seed = GENERATE(range(1U, last_seed(4) + 1));
  INFO("seed " << seed);
  Cluster original{config_for(seed)};
  RandomEvents events{seed};
  for (int i = 0; i < steps / 2; ++i) {
    auto [now, what] = events.next(snapshot(original.state()));
    auto copy = original;
    auto before = snapshot(original.state());
    auto planned = copy.step(now, what);
    auto untouched = snapshot(original.state()) == before;
    if (!untouched || original.step(now, what) != planned
        || snapshot(original.state()) != snapshot(copy.state()))
      FAIL("step " << i << ": " << to_string(what));
  }
  SUCCEED();
}

// Goal: a worker or driver that repeats itself, because an answer was lost,
// does no harm: at most it is told again, and nothing is started twice.
TEST_CASE("repeating an event starts nothing twice", "[scheduling][random]") {
  auto seed = GENERATE(range(1U, last_seed(4) + 1));
  INFO("seed " << seed);
  auto config = config_for(seed);
  // Without time to report in, a worker that registers again starts anew.
  config.reconnect_timeout = std::chrono::seconds{13};
  Cluster cluster{config};
  RandomEvents events{seed};
  auto repeats_by_nature = [](const Event& x) {
    // A second submission is a second driver; another kill order or number of
    // executors may come to what has been started meanwhile.
    return std::holds_alternative<RequestSubmitDriver>(x)
           || std::holds_alternative<KillExecutors>(x);
  };
  for (int i = 0; i < steps; ++i) {
    auto [now, what] = events.next(snapshot(cluster.state()));
    (void)cluster.step(now, what);
    if (repeats_by_nature(what) || was_put_aside(cluster, what))
      continue;
    auto copy = cluster;
    for (const auto& effect : copy.step(now, what).messages) {
      auto starts = std::holds_alternative<StartExecutor>(effect)
                    || std::holds_alternative<StartDriver>(effect);
      if (starts)
        FAIL("step " << i << ": " << to_string(what) << '\n'
                     << to_string(effect));
    }
    if (auto problem = invariant_violation(copy.state()))
      FAIL("step " << i << ": " << *problem);
  }
  SUCCEED();
}

TEST_CASE("random events reach what they are meant to reach",
          "[scheduling][random]") {
  // Guards the tests above against a generator that does nothing of interest.
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Cluster cluster{config_for(seed)};
    RandomEvents events{seed};
    for (int i = 0; i < steps; ++i) {
      auto [now, what] = events.next(snapshot(cluster.state()));
      for (const auto& x : cluster.step(now, what).messages)
        if (const auto* sent = std::get_if<Send>(&x)) {
          auto text = to_string(x).substr(sent->to.value.size() + 5);
          seen.insert(text.substr(0, text.find(' ')));
        } else if (std::holds_alternative<StartExecutor>(x)) {
          seen.insert("LaunchExecutor");
        } else if (std::holds_alternative<StartDriver>(x)) {
          seen.insert("LaunchDriver");
        }
    }
  }
  CHECK(seen
        == std::set<std::string>{
            "ApplicationFinished", "ApplicationRemoved", "DecommissionWorker",
            "ExecutorAdded", "ExecutorUpdated", "KillDriver", "KillExecutor",
            "LaunchDriver", "LaunchExecutor", "ReconnectApplication",
            "ReconnectWorker", "RegisterWorkerFailed", "RegisteredApplication",
            "RegisteredWorker", "WorkerRemoved"});
}

TEST_CASE("random events start programs of Spark's", "[scheduling][random]") {
  // Guards the tests above, too.
  auto executors = 0;
  auto drivers = 0;
  // Some configurations hardly start any: fewer seeds would say little.
  constexpr std::uint64_t seeds = 18;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Cluster cluster{config_for(seed)};
    RandomEvents events{seed};
    for (int i = 0; i < steps; ++i) {
      auto [now, what] = events.next(snapshot(cluster.state()));
      for (const auto& x : cluster.step(now, what).messages)
        if (const auto* started = std::get_if<StartExecutor>(&x)) {
          const auto* app = find_description(cluster.state(), started->app_id);
          executors += app != nullptr && app->command.spark ? 1 : 0;
        } else if (const auto* begun = std::get_if<StartDriver>(&x)) {
          const auto* description
              = find_description(cluster.state(), begun->driver_id);
          drivers += description->command.spark ? 1 : 0;
        }
    }
  }
  CHECK(executors > 300);
  CHECK(drivers > 60);
}

TEST_CASE("random events make gangs wait, reserve, and start",
          "[scheduling][random]") {
  // Guards the tests above, too.
  auto waited = 0;
  auto kept = 0;
  auto started = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Cluster cluster{config_for(seed)};
    RandomEvents events{seed};
    for (int i = 0; i < steps; ++i) {
      auto [now, what] = events.next(snapshot(cluster.state()));
      const auto waiting = cluster.state().gangs;
      (void)cluster.step(now, what);
      waited += cluster.state().gangs.size() > 0 ? 1 : 0;
      const auto& gang = cluster.state().gangs.reserving();
      kept += gang && cluster.state().reservations.find(gang->app)->count() > 0;
      for (const auto& app : snapshot(cluster.state()).active_apps) {
        auto key = cluster.state().applications.find(app.id);
        auto position = cluster.state().applications.at(*key).position();
        started += position && waiting.may_reserve(*position)
                   && app.cores_granted > 0 && at_once(cluster, app) == 1;
      }
    }
  }
  CHECK(waited > 500);
  CHECK(kept > 100);
  CHECK(started > 10);
}
