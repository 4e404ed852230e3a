#include "scheduling/planning/room_report.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/format.hpp"
#include "scheduling/master/allowance.hpp"
#include "scheduling/master/executor_sizes.hpp"
#include "scheduling/master/gangs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/spark_versions.hpp"

namespace stoker {

namespace {

/// Of those that are waited for.
constexpr std::size_t others_shown_max = 10;

/// Whether the worker is ALIVE and runs such programs.
bool runs_it_now(const WorkerAccount& x, const Requirements& needs) {
  return x.state == WorkerState::ALIVE && x.kinds.contains(needs.kind);
}

/// Whether such a worker has a named resource, as far as `times` of it tells.
template <class Times>
bool any_has(const ClusterState& state, const Requirements& one, Times times) {
  const auto& workers = state.workers.all();
  return std::any_of(workers.begin(), workers.end(), [&](const auto& x) {
    const auto& account = state.capacity.account(x.first);
    return runs_it_now(account, one) && times(account.named, one.named) > 0;
  });
}

bool any_alive(const ClusterState& state) {
  const auto& workers = state.workers.all();
  return std::any_of(workers.begin(), workers.end(), [](const auto& x) {
    return x.second.stored.state == WorkerState::ALIVE;
  });
}

auto in_all_of_it = [](const NamedResources& x, const ResourceAmounts& one) {
  return x.times_in_all(one);
};
auto free_now = [](const NamedResources& x, const ResourceAmounts& one) {
  return x.times(one);
};

/// The first named resource of which no worker has enough.
template <class Times>
std::optional<ResourceAmounts>
missing_resource(const ClusterState& state, const Needs& needs, Times times) {
  for (const auto& [name, amount] : needs.others.named) {
    ResourceAmounts one{{name, amount}};
    if (!any_has(state, {one, needs.others.kind}, times))
      return one;
  }
  return std::nullopt;
}

/// No worker could run it, even if it ran nothing else.
void find_what_is_too_large(ExplanationResponse& result,
                            const ClusterState& state, const Needs& needs) {
  auto needed = needs.whose + " needs " + format_needs(needs);
  if (auto missing = missing_resource(state, needs, in_all_of_it)) {
    const auto& name = missing->begin()->first;
    auto offered
        = any_has(state, {{{name, 1}}, needs.others.kind}, in_all_of_it);
    return block(result, Blocker::too_large,
                 needed + ", and no worker "
                     + (offered ? "has so much " : "offers ") + name,
                 "a worker with " + format_amounts(*missing) + " comes");
  }
  auto most = state.capacity.totals(needs.others.kind).most();
  block(result, Blocker::too_large,
        needed + ", and no worker has so much: the most that any has is "
            + format_cores(most.cores) + " and "
            + format_memory(most.memory_mb),
        "a larger worker comes, or less is asked for");
}

/// "3.4.4, 3.5.1 and 3.5.9"
std::string format_choice(const std::vector<std::string>& versions,
                          const std::string& conjunction) {
  std::string result;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (i > 0)
      result += i + 1 < versions.size() ? ", " : ' ' + conjunction + ' ';
    result += versions[i];
  }
  return result;
}

/// ", and 2 are reserved for executors of drivers"
std::string reserved_text(const ClusterState& state, std::int64_t reserved,
                          const std::string& text) {
  if (reserved == 0)
    return {};
  return ", and " + text + " are reserved"
         + (state.gangs.reserving() ? "" : " for executors of drivers");
}

} // namespace

std::string format_needs(const Needs& x) {
  auto result = format_cores(x.size.cores);
  auto memory = format_memory(x.size.memory_mb);
  if (x.others == Requirements{})
    return result + " and " + memory;
  return result + ", " + memory
         + (x.others.named.empty() || !x.others.kind ? " and " : ", ")
         + format_requirements(x.others);
}

void name_needs(ExplanationResponse& result, const Requirements& needs) {
  result.resources_per_executor = needs.named;
  if (needs.kind)
    result.spark = to_string(*needs.kind);
}

void block(ExplanationResponse& result, Blocker blocker, std::string reason,
           std::string remedy) {
  result.blocker = blocker;
  // The most important comes first.
  result.reasons.insert(result.reasons.begin(), std::move(reason));
  result.remedy = std::move(remedy);
}

void block_for_others(ExplanationResponse& result,
                      const std::vector<Dependency>& waits_for) {
  std::string what;
  std::string when;
  std::size_t shown = 0;
  for (const auto& x : waits_for) {
    if (shown == others_shown_max)
      break;
    std::string comma = shown++ == 0 ? "" : ", ";
    const auto& id = x.app ? x.app->value : x.driver.value().value;
    what += comma + (x.success ? "the success of " : "the end of ") + id;
    when += comma + id + (x.success ? " has ended well" : " has ended");
  }
  if (shown < waits_for.size()) {
    auto more = " and " + std::to_string(waits_for.size() - shown) + " more";
    what += more;
    when += more;
  }
  block(result, Blocker::dependency, "it waits for " + what, when);
}

void count_room(ExplanationResponse& result, const ClusterState& state,
                const Needs& needs) {
  for (const auto& [key, worker] : state.workers.all()) {
    const auto& account = state.capacity.account(key);
    if (!runs_it_now(account, needs.others))
      continue;
    if (account.rests)
      result.reasons.push_back(
          to_string(worker.stored.id)
          + " is given nothing for a while, since it could not start a "
            "program: "
          + worker.failed_starts.why);
    auto free = account.free();
    ++result.workers;
    result.total += {account.total.cores, account.total.memory_mb};
    result.free += {free.cores, free.memory_mb};
    result.reserved += reserved_on(state, key);
    if (state.capacity.has_room(key, needs.size, needs.others))
      ++result.workers_with_room;
    if (fits_in(needs.size, account.total)
        && account.named.times_in_all(needs.others.named) > 0)
      ++result.workers_large_enough;
  }
}

void find_blocker(ExplanationResponse& result, const ClusterState& state,
                  const Needs& needs) {
  auto what = format_needs(needs);
  auto needed = needs.whose + " needs " + what;
  if (result.workers == 0)
    return block(result, Blocker::no_workers,
                 any_alive(state) ? lacks_kind(needs.others.kind)
                                  : "there is no worker",
                 "a worker with at least " + what + " comes");
  if (result.workers_large_enough == 0)
    return find_what_is_too_large(result, state, needs);
  auto until_free = "one worker has " + what + " free";
  if (result.free.cores < needs.size.cores)
    return block(result, Blocker::cores,
                 needed + "; " + std::to_string(result.free.cores) + " of "
                     + format_cores(result.total.cores) + " are free"
                     + reserved_text(state, result.reserved.cores,
                                     std::to_string(result.reserved.cores)),
                 until_free);
  if (result.free.memory_mb < needs.size.memory_mb)
    return block(result, Blocker::memory,
                 needed + "; "
                     + format_memory_beside(result.free.memory_mb,
                                            result.total.memory_mb)
                     + " of "
                     + format_memory_beside(result.total.memory_mb,
                                            result.free.memory_mb)
                     + " are free"
                     + reserved_text(state, result.reserved.memory_mb,
                                     format_memory(result.reserved.memory_mb)),
                 until_free);
  if (auto missing = missing_resource(state, needs, free_now))
    return block(result, Blocker::resource,
                 needed + "; no worker has " + format_amounts(*missing)
                     + " free",
                 until_free);
  auto most = state.capacity.free_with({{}, needs.others.kind}).most();
  block(result, Blocker::fragments,
        needed + "; " + format_cores(result.free.cores) + " and "
            + format_memory_beside(result.free.memory_mb, most.memory_mb)
            + " are free in all, but no worker has enough of everything (at "
              "most "
            + format_cores(most.cores) + " and "
            + format_memory_beside(most.memory_mb, result.free.memory_mb)
            + ", on any one)",
        until_free);
}

void find_version_blocker(ExplanationResponse& result,
                          const ClusterState& state, const Application& app,
                          const Needs& needs) {
  if (!any_alive(state))
    return find_blocker(result, state, needs);
  const auto& driver = app.stored.description.spark_driver;
  auto possible
      = driver ? driver->possible_versions : std::vector<std::string>{};
  auto offered = versions_offered(state, possible);
  if (!possible.empty() && offered.empty()) {
    auto wanted = format_choice(possible, "or");
    return block(result, Blocker::no_workers,
                 "no worker has Spark " + wanted
                     + " (start one with --spark-home)",
                 "a worker with Spark " + wanted + " comes");
  }
  auto reason = lacks_kind(needs.others.kind);
  if (!offered.empty())
    reason += ", and workers have Spark " + format_choice(offered, "and");
  block(result, Blocker::no_workers, std::move(reason),
        "its driver's page tells the version "
        "(spark.executorEnv.STOKER_SPARK_VERSION tells it at once)");
}

void find_gang_blocker(ExplanationResponse& result, const ClusterState& state,
                       Instant now, const Application& app,
                       const Needs& needs) {
  auto shape = app.shape();
  auto at_once = executors_at_once(app);
  auto gang = gang_of(app);
  const auto* kept = state.reservations.find(app.key());
  GangExplanation x;
  x.needed = at_once;
  x.kept = kept == nullptr ? 0 : kept->count();
  x.room = room_for_gang(state, app);
  if (kept != nullptr)
    x.kept_for_ms = (std::max(kept->until, now) - now).count();
  result.gang = x;
  if (result.workers_large_enough == 0)
    return find_blocker(result, state, needs);
  auto all = format_count(at_once, "executor") + " at once, each with "
             + format_needs(needs);
  auto remedy = "there is room for " + std::to_string(at_once)
                + " of its executors at once";
  if (auto could = state.capacity.slots_in_all(shape, gang); could < gang)
    return block(
        result, Blocker::too_large,
        "it needs " + all + ": all workers together could hold "
            + std::to_string(could)
            + (gang == at_once ? std::string{} : " of " + std::to_string(gang)),
        "more workers come, or less is asked for");
  auto reason
      = "it needs " + all + ": there is room for " + std::to_string(x.room);
  if (kept != nullptr)
    reason += ", which is kept for it for "
              + format_duration(Duration{*x.kept_for_ms}) + " at most";
  if (auto start = earliest_start(state, app))
    reason += "; " + std::to_string(start->executors) + " more when "
              + to_string(state.applications.at(start->after).stored.id)
              + " ends (its time limit, in "
              + format_duration(std::max(start->when, now) - now) + ')';
  block(result, Blocker::gang, std::move(reason), std::move(remedy));
}

void note_kept_room(ExplanationResponse& result, const ClusterState& state,
                    Instant now, const Application& app) {
  const auto& gang = state.gangs.reserving();
  if (!gang || gang->app == app.key())
    return;
  const auto& kept = *state.reservations.find(gang->app);
  if (kept.count() == 0)
    return;
  const auto& other = state.applications.at(gang->app);
  result.reasons.push_back(
      "room for " + format_count(kept.count(), "executor") + " is kept for "
      + to_string(other.stored.id) + ", which needs "
      + std::to_string(executors_at_once(other)) + " at once, for "
      + format_duration(std::max(kept.until, now) - now) + " at most");
}

} // namespace stoker
