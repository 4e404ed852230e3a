#include "scheduling/planning/start_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

namespace {

/// Beyond, a copy would keep the master busy for longer than an answer is worth.
constexpr std::size_t applications_max = 20'000;

/// Ends that are tried.
constexpr std::size_t ends_max = 1000;

bool starts(const OutgoingMessages& messages, const AppId& id) {
  return std::any_of(messages.begin(), messages.end(), [&](const auto& x) {
    const auto* started = std::get_if<StartExecutor>(&x);
    return started != nullptr && started->app_id == id;
  });
}

/// How long applications took that ended well, by user and in all.
struct Durations {
  std::map<std::string, std::vector<Duration>> by_user;
  std::vector<Duration> all;

  explicit Durations(const ClusterState& state) {
    for (const auto& app : state.applications.ended()) {
      const auto& x = app.info;
      if (!x.ended_ms || x.state != ApplicationState::FINISHED
          || x.executors_started == 0)
        continue;
      Duration took{*x.ended_ms - x.submitted_ms};
      by_user[x.user].push_back(took);
      all.push_back(took);
    }
  }
};

Duration median(std::vector<Duration>& xs) {
  auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
  std::nth_element(xs.begin(), middle, xs.end());
  return *middle;
}

/// @pre It has started.
std::optional<ExpectedEnd> expected_end(const Application& app, Instant now,
                                        Durations& durations) {
  const auto& stored = app.stored;
  auto expect = [&](Instant when, std::string basis) -> ExpectedEnd {
    if (when > now)
      return {stored.id, when, std::move(basis)};
    // It is overdue: what has run for so long may go on for as long.
    return {stored.id, now + (now - *stored.started),
            "how long it has been running"};
  };
  if (const auto& limit_ms = stored.description.time_limit_ms)
    return expect(*stored.started + Duration{*limit_ms}, "its time limit");
  // What ended last is the best guess of what runs now.
  if (auto i = durations.by_user.find(stored.description.user);
      i != durations.by_user.end())
    return expect(stored.submitted + median(i->second),
                  "the last applications of " + stored.description.user);
  if (!durations.all.empty())
    return expect(stored.submitted + median(durations.all),
                  "the last applications");
  return std::nullopt;
}

} // namespace

std::vector<ExpectedEnd> expected_ends(const ClusterState& state, Instant now) {
  Durations durations{state};
  std::vector<ExpectedEnd> result;
  for (const auto& [key, app] : state.applications.all())
    if (app.executors.count() > 0 && app.stored.started)
      if (auto end = expected_end(app, now, durations))
        result.push_back(std::move(*end));
  std::stable_sort(
      result.begin(), result.end(),
      [](const auto& a, const auto& b) { return a.when < b.when; });
  return result;
}

bool can_estimate(const ClusterState& state) {
  return state.applications.all().size() <= applications_max;
}

std::optional<StartEstimate> estimate_start(Cluster copy, Instant now,
                                            const AppId& id,
                                            const IsToStop& is_to_stop) {
  auto ends = expected_ends(copy.state(), now);
  now = std::max(now, copy.now());
  for (std::size_t i = 0; i < std::min(ends.size(), ends_max); ++i) {
    if (stops(is_to_stop))
      break;
    const auto& end = ends[i];
    if (end.app_id == id)
      continue;
    // At the present time: nothing else is to happen meanwhile.
    if (starts(step_with_ends(copy, now, UnregisterApplication{end.app_id},
                              is_to_stop),
               id))
      return StartEstimate{(end.when - now).count(), end.app_id, end.basis};
  }
  return std::nullopt;
}

} // namespace stoker
