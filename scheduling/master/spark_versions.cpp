#include "scheduling/master/spark_versions.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>
#include <utility>

#include "scheduling/common/spark_release.hpp"
#include "scheduling/master/demand.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/tenant_admission.hpp"

namespace stoker {

namespace {

bool is_of(const std::string& version, const SparkRelease& release) {
  auto x = spark_release_of(version);
  return x && *x == release;
}

/// Whether the worker has several versions of a release, of which it takes the nearest to
/// that of the driver.
bool has_choice(const StoredWorker& x, const SparkRelease& release) {
  return std::count_if(
             x.spark_versions.begin(), x.spark_versions.end(),
             [&](const auto& version) { return is_of(version, release); })
         > 1;
}

bool takes_part(const StoredWorker& x) {
  return x.state == WorkerState::ALIVE || x.state == WorkerState::UNKNOWN;
}

/// The version with which executors start whichever of these the driver has; unset: workers
/// differ, or none has such a Spark.
std::optional<std::string>
only_choice(const ClusterState& state,
            const std::vector<std::string>& versions) {
  std::optional<SparkRelease> release;
  std::optional<std::string> result;
  for (const auto& version : versions) {
    auto one = spark_release_of(version);
    if (!one || state.capacity.totals(*one).empty())
      continue;
    if (release && *release != *one)
      return std::nullopt;
    if (!release)
      result = version;
    release = *one;
  }
  if (!release)
    return std::nullopt;
  const auto& workers = state.workers.all();
  auto differs = std::any_of(workers.begin(), workers.end(), [&](auto& x) {
    return takes_part(x.second.stored) && has_choice(x.second.stored, *release);
  });
  return differs ? std::nullopt : result;
}

void use_version(Step& step, AppKey key, const std::string& version) {
  const auto& app = step.state.applications.at(key);
  // It leaves the pool of what it was.
  if (auto position = app.position())
    step.state.capacity.set_wanted(*position, app.needs, std::nullopt);
  step.state.applications.set_spark_version(key, version);
  step.changes.touch(key);
  size_again(step, key);
  ask_again(step, key);
  update_demand(step, key);
  if (app.position())
    claim_reservations(step, key);
}

/// Executors that were started before the driver told its version cannot work for it.
void end_executors(Step& step, AppKey key, const std::string& reason) {
  const auto& app = step.state.applications.at(key);
  while (!app.executors.present().empty()) {
    auto id = app.executors.present().begin()->first;
    step.send(app.stored.driver,
              ExecutorUpdated{id, ExecutorState::KILLED, reason, std::nullopt,
                              std::nullopt, app.ended_executors.next()});
    kill_executor(step, {key, id}, reason);
  }
}

} // namespace

void handle(Step& step, const SetSparkVersion& x) {
  auto& applications = step.state.applications;
  auto key = applications.find(x.app_id);
  auto release = spark_release_of(x.version);
  if (!key || !release)
    return step.reply(false);
  auto& app = applications.edit(*key);
  if (!app.needs.kind)
    return step.reply(false);
  auto& driver = app.stored.description.spark_driver;
  auto was_open = driver && !driver->possible_versions.empty();
  if (was_open) {
    driver->possible_versions.clear();
    step.changes.touch(*key);
  }
  if (x.is_guess && was_open
      && !app.stored.description.command.spark->version.empty())
    return step.reply(false);
  if (app.executors.count() > 0 && app.needs.kind != *release) {
    if (!was_open)
      return step.reply(false);
    end_executors(step, *key, "its driver has Spark " + x.version);
  }
  use_version(step, *key, x.version);
  step.schedule_pass();
  step.reply(true);
}

void choose_spark_versions(Step& step) {
  auto& applications = step.state.applications;
  if (applications.without_version().empty())
    return;
  auto workers = step.state.capacity.workers_version();
  // Those that get a version leave the set.
  const auto open = applications.without_version();
  for (auto key : open) {
    auto& app = applications.edit(key);
    if (std::exchange(app.version_sought, workers) == workers)
      continue;
    const auto& driver = *app.stored.description.spark_driver;
    if (auto version = only_choice(step.state, driver.possible_versions))
      use_version(step, key, *version);
  }
}

std::vector<std::string>
versions_offered(const ClusterState& state,
                 const std::vector<std::string>& versions) {
  std::set<std::string> result;
  for (const auto& [key, worker] : state.workers.all()) {
    if (worker.stored.state != WorkerState::ALIVE)
      continue;
    for (const auto& offered : worker.stored.spark_versions)
      if (std::any_of(versions.begin(), versions.end(), [&](const auto& x) {
            auto release = spark_release_of(x);
            return release && is_of(offered, *release);
          }))
        result.insert(offered);
  }
  return {result.begin(), result.end()};
}

} // namespace stoker
