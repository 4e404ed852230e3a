#include "scheduling/planning/start_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/driver_admission.hpp"

namespace stoker {

namespace {

/// Beyond, a copy would keep the master busy for longer than an answer is worth.
constexpr std::size_t programs_max = 20'000;

/// Ends that are tried.
constexpr std::size_t ends_max = 1000;

bool starts(const OutgoingMessages& messages, const AppId& id) {
  return std::any_of(messages.begin(), messages.end(), [&](const auto& x) {
    const auto* started = std::get_if<StartExecutor>(&x);
    return started != nullptr && started->app_id == id;
  });
}

/// How long programs of one kind took that ended well, by user and in all.
struct Durations {
  /// "applications"
  std::string kind;
  std::map<std::string, std::vector<Duration>> by_user;
  std::vector<Duration> all;

  void add(const std::string& user, Duration took) {
    by_user[user].push_back(took);
    all.push_back(took);
  }
};

/// From their submission.
Durations durations_of_applications(const ClusterState& state) {
  Durations result{"applications", {}, {}};
  for (const auto& app : state.applications.ended()) {
    const auto& x = app.info;
    if (x.ended_ms && x.state == ApplicationState::FINISHED
        && x.executors_started > 0)
      result.add(x.user, Duration{*x.ended_ms - x.submitted_ms});
  }
  return result;
}

/// From their start.
Durations durations_of_drivers(const ClusterState& state) {
  Durations result{"drivers", {}, {}};
  for (const auto& [number, key] : state.drivers.ended()) {
    const auto& x = state.drivers.at(key).stored;
    if (x.state == DriverState::FINISHED && x.started)
      result.add(x.description.user, *x.ended - *x.started);
  }
  return result;
}

Duration median(std::vector<Duration>& xs) {
  auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
  std::nth_element(xs.begin(), middle, xs.end());
  return *middle;
}

/// Guesses when running programs end.
class Guesses {
public:
  explicit Guesses(Instant now) : now_(now) {
  }

  /// @param what "its time limit"
  void add(AwaitedId id, Instant started, Instant when, std::string what) {
    if (when > now_)
      ends_.push_back({std::move(id), when, std::move(what)});
    else
      // It is overdue: what has run for so long may go on for as long.
      ends_.push_back({std::move(id), now_ + (now_ - started),
                       "how long it has been running"});
  }

  /// What ended last is the best guess of what runs now.
  /// @param since where the durations count from
  void add(AwaitedId id, Instant started, Instant since,
           const std::string& user, Durations& durations) {
    if (auto i = durations.by_user.find(user); i != durations.by_user.end())
      add(std::move(id), started, since + median(i->second),
          "the last " + durations.kind + " of " + user);
    else if (!durations.all.empty())
      add(std::move(id), started, since + median(durations.all),
          "the last " + durations.kind);
  }

  std::vector<ExpectedEnd> finish() && {
    std::stable_sort(
        ends_.begin(), ends_.end(),
        [](const auto& a, const auto& b) { return a.when < b.when; });
    return std::move(ends_);
  }

private:
  Instant now_;
  std::vector<ExpectedEnd> ends_;
};

/// The applications of drivers that run.
std::map<DriverId, std::vector<AppId>>
applications_of_drivers(const ClusterState& state) {
  std::map<DriverId, std::vector<AppId>> result;
  for (const auto& [key, app] : state.applications.all())
    if (auto driver = driver_of(state, app.stored.description))
      result[state.drivers.at(*driver).stored.id].push_back(app.stored.id);
  return result;
}

/// Ends a driver, and before it its applications.
OutgoingMessages step_with_end_of(Cluster& copy, Instant now,
                                  const DriverId& driver,
                                  const std::vector<AppId>& apps,
                                  const IsToStop& is_to_stop) {
  OutgoingMessages result;
  auto step = [&](const Event& what) {
    auto more = step_with_ends(copy, now, what, is_to_stop);
    result.insert(result.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  for (const auto& id : apps)
    step(UnregisterApplication{id});
  step(DriverStateChanged{driver, DriverState::FINISHED, {}, 0});
  return result;
}

} // namespace

std::vector<ExpectedEnd> expected_ends(const ClusterState& state, Instant now) {
  Guesses guesses{now};
  auto durations = durations_of_applications(state);
  for (const auto& [key, app] : state.applications.all()) {
    const auto& x = app.stored;
    if (app.executors.count() == 0 || !x.started)
      continue;
    if (const auto& limit_ms = x.description.time_limit_ms)
      guesses.add(x.id, *x.started, *x.started + Duration{*limit_ms},
                  "its time limit");
    else
      guesses.add(x.id, *x.started, x.submitted, x.description.user, durations);
  }
  auto of_drivers = durations_of_drivers(state);
  for (const auto& [key, driver] : state.drivers.all()) {
    const auto& x = driver.stored;
    if (driver.worker && x.started)
      guesses.add(x.id, *x.started, *x.started, x.description.user, of_drivers);
  }
  return std::move(guesses).finish();
}

bool can_estimate(const ClusterState& state) {
  return state.applications.all().size() + state.drivers.all().size()
         <= programs_max;
}

std::optional<StartEstimate> estimate_start(Cluster copy, Instant now,
                                            const AppId& id,
                                            const IsToStop& is_to_stop) {
  const auto ends = expected_ends(copy.state(), now);
  const auto of_drivers = applications_of_drivers(copy.state());
  auto apps_of = [&](const DriverId& driver) {
    auto i = of_drivers.find(driver);
    return i == of_drivers.end() ? std::vector<AppId>{} : i->second;
  };
  now = std::max(now, copy.now());
  for (std::size_t i = 0; i < std::min(ends.size(), ends_max); ++i) {
    if (stops(is_to_stop))
      break;
    const auto& end = ends[i];
    StartEstimate result{(end.when - now).count(), {}, end.basis};
    OutgoingMessages messages;
    // At the present time: nothing else is to happen meanwhile.
    if (const auto* app = std::get_if<AppId>(&end.id)) {
      if (*app == id)
        continue;
      result.after = *app;
      messages
          = step_with_ends(copy, now, UnregisterApplication{*app}, is_to_stop);
    } else {
      const auto& driver = std::get<DriverId>(end.id);
      auto apps = apps_of(driver);
      // It would end with its driver.
      if (std::find(apps.begin(), apps.end(), id) != apps.end())
        continue;
      result.after_driver = driver;
      messages = step_with_end_of(copy, now, driver, apps, is_to_stop);
    }
    if (starts(messages, id))
      return result;
  }
  return std::nullopt;
}

} // namespace stoker
