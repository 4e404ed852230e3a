// Why an application waits, or runs where it runs. Looks at all workers and at
// the applications before it: for people who ask, not for the scheduler.

#include <algorithm>

#include "scheduling/common/format.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/planning/start_estimate.hpp"

namespace stoker {

namespace {

constexpr std::size_t ahead_shown_max = 10;

/// "2 cores, 4 GB and 1 gpu".
std::string format_needs(const ExplanationResponse& x) {
  auto result = format_cores(x.cores_per_executor);
  auto memory = format_memory(x.memory_per_executor_mb);
  if (x.resources_per_executor.empty())
    return result + " and " + memory;
  return result + ", " + memory + " and "
         + format_amounts(x.resources_per_executor);
}

/// Who is asked before the company at `place`, with what they occupy of what
/// they purchased.
std::string companies_ahead(const TenantsView& tenants, int place) {
  std::vector<const CompanyView*> ahead;
  for (const auto& x : tenants.companies)
    if (x.place > 0 && x.place < place)
      ahead.push_back(&x);
  std::sort(ahead.begin(), ahead.end(),
            [](const auto* a, const auto* b) { return a->place < b->place; });
  std::string result;
  for (std::size_t i = 0; i < std::min(ahead.size(), ahead_shown_max); ++i) {
    const auto& x = *ahead[i];
    result += (i == 0 ? "before its company come " : ", ") + x.name;
    if (x.share)
      result += " (at " + format_percent(*x.share) + " of its purchase)";
  }
  if (ahead.size() > ahead_shown_max)
    result
        += " and " + std::to_string(ahead.size() - ahead_shown_max) + " more";
  return result;
}

} // namespace

ExplanationResponse Cluster::explain(Instant now, const AppId& id) const {
  now = std::max(now, now_);
  ExplanationResponse result;
  result.app_id = id;
  auto key = find_application(id);
  if (!key) {
    explain_ended(result);
    return result;
  }
  const auto& app = apps_.at(*key);
  result.found = true;
  result.name = app.description.name;
  result.user = app.description.user;
  result.state = app.state;
  result.executors = static_cast<int>(app.executors.size());
  result.cores = app.cores_granted;
  auto size = app.turn ? app.executor_size() : size_for(app);
  result.cores_per_executor = size.cores;
  result.memory_per_executor_mb = size.memory_mb;
  result.resources_per_executor = app.description.resources_per_executor;
  if (tenants_)
    result.place = tenants_->place(*key, now);
  count_room(app, size, result);
  if (app.turn)
    explain_admitted(app, result);
  else
    explain_queued(app, now, result);
  explain_places(app, result);
  if (result.blocker != Blocker::none)
    result.estimate = estimate_start(*this, now, id);
  return result;
}

void Cluster::explain_ended(ExplanationResponse& result) const {
  for (const auto& app : completed_apps_)
    if (app.id == result.app_id) {
      result.found = true;
      result.name = app.name;
      result.user = app.user;
      result.state = app.state;
      result.reasons.push_back("it has ended as " + to_string(app.state)
                               + (app.message ? ": " + *app.message : ""));
    }
}

void Cluster::count_room(const Application& app, ExecutorSize size,
                         ExplanationResponse& result) const {
  const auto& named = app.description.resources_per_executor;
  for (const auto& [key, worker] : workers_) {
    if (worker.state != WorkerState::ALIVE)
      continue;
    ++result.workers;
    result.total += {worker.cores, worker.memory_mb};
    result.free += {worker.cores_free(), worker.memory_free_mb()};
    if (has_room(worker, size, named))
      ++result.workers_with_room;
    if (fits_in(size, {worker.cores, worker.memory_mb})
        && worker.resources.times_in_all(named) > 0)
      ++result.workers_large_enough;
  }
}

void Cluster::explain_queued(const Application& app, Instant now,
                             ExplanationResponse& result) const {
  result.blocker = Blocker::queue;
  const auto& place = *result.place;
  result.cores_wanted = static_cast<int>(std::min<std::int64_t>(
      app.requested.cores, std::numeric_limits<int>::max()));
  result.reasons.push_back(
      "it is number " + std::to_string(place.position_in_queue)
      + " in the queue of " + place.user + ", who is number "
      + std::to_string(place.user_place) + " of " + place.company
      + ", which is number " + std::to_string(place.company_place)
      + " of the companies that wait");
  if (!place.reason.empty())
    result.reasons.push_back(place.reason);
  if (auto ahead = companies_ahead(tenants_->view(now), place.company_place);
      !ahead.empty())
    result.reasons.push_back(ahead);
  result.remedy = "it is admitted when its turn comes and what is admitted no "
                  "longer fills the cluster";
}

void Cluster::explain_admitted(const Application& app,
                               ExplanationResponse& result) const {
  result.cores_wanted = cores_wanted(app);
  auto wants = wants_more(app);
  if (!wants) {
    result.cores_wanted = 0;
    if (tenants_) {
      auto granted = tenants_->admitted_request(app.turn->app);
      if (granted.cores < app.requested.cores) {
        result.blocker = Blocker::cap;
        result.cores_wanted
            = static_cast<int>(app.requested.cores) - app.cores_granted;
        result.reasons.push_back(
            "it asks for " + format_cores(app.requested.cores)
            + ", of which the cap of " + result.place->company
            + " and the limits of " + result.place->user + " leave it "
            + std::to_string(granted.cores));
        result.remedy = "other applications of them that end or want less";
        return;
      }
    }
    result.reasons.push_back(
        executors_left(app) <= 0
            ? "it has as many executors as it asks for"
            : "it has as many cores as it may have ("
                  + std::to_string(app.cores_granted) + " of "
                  + std::to_string(cores_left(app) + app.cores_granted) + ")");
    return;
  }
  find_blocker(app, result);
  for (const auto& turn : admitted_) {
    if (turn == *app.turn)
      break;
    const auto& other = apps_.at(turn.app);
    if (!wants_more(other))
      continue;
    ++result.position;
    if (result.ahead.size() < ahead_shown_max)
      result.ahead.push_back(waiting_info(other));
  }
  ++result.position;
  if (result.position > 1)
    result.reasons.push_back(
        format_count(result.position - 1, "application")
        + " that came before it would take what becomes free first, as far as "
          "it fits them");
}

void Cluster::find_blocker(const Application& app,
                           ExplanationResponse& result) const {
  auto needs = format_needs(result);
  auto per_executor = "an executor of it needs " + needs;
  auto say = [&](Blocker blocker, std::string reason, std::string remedy) {
    result.blocker = blocker;
    result.reasons.push_back(std::move(reason));
    result.remedy = std::move(remedy);
  };
  if (result.workers == 0)
    return say(Blocker::no_workers, "there is no worker",
               "a worker with at least " + needs);
  if (result.workers_large_enough == 0) {
    auto most = totals_.most();
    return say(Blocker::too_large,
               per_executor + ", and no worker has so much: the most that any "
                   + "has is " + format_cores(most.cores) + " and "
                   + format_memory(most.memory_mb),
               "a larger worker, or smaller executors");
  }
  auto until_free = "executors or drivers that end on one worker until " + needs
                    + " are free there, or another worker";
  if (result.free.cores < result.cores_per_executor)
    return say(Blocker::cores,
               per_executor + "; " + std::to_string(result.free.cores) + " of "
                   + format_cores(result.total.cores) + " are free",
               until_free);
  if (result.free.memory_mb < result.memory_per_executor_mb)
    return say(Blocker::memory,
               per_executor + "; " + format_memory(result.free.memory_mb)
                   + " of " + format_memory(result.total.memory_mb)
                   + " are free",
               until_free);
  for (const auto& [name, amount] : app.description.resources_per_executor) {
    ResourceAmounts one{{name, amount}};
    auto any = std::any_of(workers_.begin(), workers_.end(), [&](auto& x) {
      return x.second.state == WorkerState::ALIVE
             && x.second.resources.times(one) > 0;
    });
    if (!any)
      return say(Blocker::resource,
                 per_executor + "; no worker has " + format_amounts(one)
                     + " free",
                 until_free);
  }
  auto most = pool_.capacity().most();
  say(Blocker::fragments,
      per_executor + "; " + format_cores(result.free.cores) + " and "
          + format_memory(result.free.memory_mb)
          + " are free in all, but no worker has enough of everything (at most "
          + format_cores(most.cores) + " and " + format_memory(most.memory_mb)
          + ", on any one)",
      until_free);
}

void Cluster::explain_places(const Application& app,
                             ExplanationResponse& result) const {
  std::map<WorkerKey, std::pair<int, int>> places;
  for (const auto& [id, executor] : app.executors) {
    auto& [count, cores] = places[executor.worker];
    ++count;
    cores += executor.cores;
  }
  std::size_t shown = 0;
  for (const auto& [key, place] : places) {
    if (++shown > ahead_shown_max) {
      result.reasons.push_back(
          "and on "
          + format_count(static_cast<std::int64_t>(places.size() - shown + 1),
                         "more worker"));
      break;
    }
    const auto& worker = workers_.at(key);
    auto reason = "it has " + format_count(place.first, "executor") + " with "
                  + format_cores(place.second) + " on " + to_string(worker.id);
    if (auto host = app.preferred_hosts.find(worker.host);
        host != app.preferred_hosts.end())
      reason += ", a host that it prefers";
    result.reasons.push_back(std::move(reason));
  }
  if (!places.empty())
    result.reasons.push_back(
        std::string{config_.spread_out ? "executors are spread out over workers"
                                       : "workers are filled one by one"}
        + ", in the order " + to_string(config_.worker_selection));
}

std::vector<ExpectedEnd> Cluster::expected_ends(Instant now) const {
  // What ended last is the best guess of what runs now.
  std::map<std::string, std::vector<Duration>> by_user;
  std::vector<Duration> all;
  for (const auto& x : completed_apps_) {
    if (!x.ended_ms || x.state != ApplicationState::FINISHED
        || x.executors.empty())
      continue;
    Duration took{*x.ended_ms - x.submitted_ms};
    by_user[x.user].push_back(took);
    all.push_back(took);
  }
  auto median = [](std::vector<Duration>& xs) {
    auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
    std::nth_element(xs.begin(), middle, xs.end());
    return *middle;
  };
  std::vector<ExpectedEnd> result;
  for (const auto& entry : apps_) {
    // A lambda may not capture a structured binding, though GCC lets it.
    const auto& app = entry.second;
    if (app.executors.empty() || !app.started)
      continue;
    auto expect = [&](Instant when, std::string basis) {
      if (when > now)
        result.push_back({app.id, when, std::move(basis)});
      else
        // It is overdue: who has run for so long may go on for as long.
        result.push_back({app.id, now + (now - *app.started),
                          "how long it has been running"});
    };
    if (app.description.time_limit_ms)
      expect(*app.started + Duration{*app.description.time_limit_ms},
             "its time limit");
    else if (auto i = by_user.find(app.description.user); i != by_user.end())
      expect(app.submitted + median(i->second),
             "the last applications of " + app.description.user);
    else if (!all.empty())
      expect(app.submitted + median(all), "the last applications");
  }
  std::stable_sort(
      result.begin(), result.end(),
      [](const auto& a, const auto& b) { return a.when < b.when; });
  return result;
}

} // namespace stoker
