// Every setting that embedding/settings.hpp knows reaches its field.

#include <functional>

#include "embedding/job_settings.hpp"
#include "embedding/run_settings.hpp"
#include "embedding/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// A value, and whether it has arrived; it must not be the default.
template <class T>
struct Sample {
  std::string name;
  std::string value;
  std::function<bool(const T&)> arrived;
};

struct OfMaster {
  ClusterConfig config;
  MasterStorage storage;
  PageSettings pages;

  auto apply(const std::vector<Setting>& settings) {
    return apply_settings(settings, config, storage, pages);
  }
};

struct OfWorker {
  WorkerConfig config;
  ResourceDiscovery resources;

  auto apply(const std::vector<Setting>& settings) {
    return apply_settings(settings, config, resources);
  }
};

template <class Description>
struct Of {
  Description x;

  auto apply(const std::vector<Setting>& settings) {
    return apply_settings(settings, x);
  }
};

/// @pre `samples` are sorted by name
template <class T>
void check_all(const std::vector<std::string>& names,
               const std::vector<Sample<T>>& samples) {
  std::vector<std::string> sampled;
  for (const auto& [name, value, arrived] : samples) {
    INFO(name);
    sampled.push_back(name);
    T target;
    CHECK_FALSE(arrived(target));
    CHECK(test::problem_in(target.apply({{name, value, "--conf"}})) == "");
    CHECK(arrived(target));
  }
  for (auto& name : sampled)
    if (auto i = name.find(".gpu."); i != std::string::npos)
      name.replace(i, 5, ".NAME.");
  CHECK(sampled == names);
}

} // namespace

TEST_CASE("every setting of a master reaches its field", "[settings]") {
  using M = OfMaster;
  check_all<M>(
      master_setting_names(),
      {{"spark.dead.worker.persistence", "4",
        [](const M& x) { return x.config.dead_worker_persistence == 4; }},
       {"spark.deploy.defaultCores", "7",
        [](const M& x) { return x.config.default_cores == 7; }},
       {"spark.deploy.maxDrivers", "5",
        [](const M& x) { return x.config.max_drivers == 5; }},
       {"spark.deploy.maxExecutorRetries", "-1",
        [](const M& x) { return x.config.max_executor_retries == -1; }},
       {"spark.deploy.recoveryDirectory", "/d",
        [](const M& x) { return x.storage.directory == "/d"; }},
       {"spark.deploy.recoveryMode", "NONE",
        [](const M& x) { return x.storage.mode == RecoveryMode::NONE; }},
       {"spark.deploy.recoveryTimeout", "50s",
        [](const M& x) { return x.config.recovery_timeout == 50s; }},
       {"spark.deploy.retainedApplications", "1",
        [](const M& x) { return x.config.retained_applications == 1; }},
       {"spark.deploy.retainedDrivers", "2",
        [](const M& x) { return x.config.retained_drivers == 2; }},
       {"spark.deploy.spreadOut", "false",
        [](const M& x) { return !x.config.spread_out; }},
       // Spark's newer name for the same.
       {"spark.deploy.spreadOutApps", "false",
        [](const M& x) { return !x.config.spread_out; }},
       {"spark.deploy.spreadOutDrivers", "false",
        [](const M& x) { return !x.config.spread_out_drivers; }},
       {"spark.deploy.workerSelectionPolicy", "WORKER_ID",
        [](const M& x) {
          return x.config.worker_selection == WorkerSelectionPolicy::WORKER_ID;
        }},
       {"spark.ui.reverseProxy", "true",
        [](const M& x) { return x.pages.is_reverse_proxy; }},
       {"spark.ui.reverseProxyUrl", "https://node1/stoker/",
        [](const M& x) {
          return x.pages.reverse_proxy_url == "https://node1/stoker";
        }},
       {"spark.worker.timeout", "30s",
        [](const M& x) { return x.config.worker_timeout == 30s; }},
       {"spark.worker.ui.retainedExecutors", "3",
        [](const M& x) { return x.config.retained_executors == 3; }},
       {"stoker.application.timeout", "77s",
        [](const M& x) { return x.config.application_timeout == 77s; }},
       {"stoker.deploy.retainedExecutors", "4",
        [](const M& x) { return x.config.retained_executors_of_ended == 4; }},
       {"stoker.deploy.submissionRetention", "7s",
        [](const M& x) { return x.config.submission_retention == 7s; }},
       {"stoker.files.maxFileSize", "5m",
        [](const M& x) { return x.storage.files.file == 5 * 1024 * 1024; }},
       {"stoker.files.maxTotalSize", "6m",
        [](const M& x) { return x.storage.files.all == 6 * 1024 * 1024; }},
       {"stoker.gang.reserve.after", "30s",
        [](const M& x) { return x.config.gang_reserve_after == 30s; }},
       {"stoker.history.enabled", "true",
        [](const M& x) { return x.storage.keeps_history; }},
       {"stoker.history.maxAge", "2d",
        [](const M& x) { return x.storage.history.age == 48h; }},
       {"stoker.history.maxSize", "2m",
        [](const M& x) { return x.storage.history.bytes == 2 * 1024 * 1024; }},
       {"stoker.leader.timeout", "9s",
        [](const M& x) { return x.storage.leader_timeout == 9s; }},
       {"stoker.outage.timeout", "90s",
        [](const M& x) { return x.config.outage_timeout == 90s; }},
       {"stoker.reconnect.timeout", "20s",
        [](const M& x) { return x.config.reconnect_timeout == 20s; }},
       {"stoker.recovery.silence", "80ms",
        [](const M& x) { return x.config.recovery_silence == 80ms; }},
       {"stoker.reservation.timeout", "40s",
        [](const M& x) { return x.config.reservation_timeout == 40s; }},
       {"stoker.worker.backoff", "3s",
        [](const M& x) { return x.config.worker_backoff == 3s; }}});
}

TEST_CASE("every setting of a worker reaches its field", "[settings]") {
  using W = OfWorker;
  check_all<W>(
      worker_setting_names(),
      {{"spark.executor.decommission.forceKillTimeout", "9s",
        [](const W& x) { return x.config.decommission_timeout == 9s; }},
       {"spark.executor.logs.rolling.maxRetainedFiles", "7",
        [](const W& x) { return x.config.log_files == 7; }},
       {"spark.executor.logs.rolling.maxSize", "8m",
        [](const W& x) { return x.config.log_bytes_max == 8 * 1024 * 1024; }},
       {"spark.worker.resource.gpu.amount", "2",
        [](const W& x) {
          auto i = x.resources.kinds.find("gpu");
          return i != x.resources.kinds.end() && i->second.amount == 2;
        }},
       {"spark.worker.resource.gpu.discoveryScript", "/s",
        [](const W& x) {
          auto i = x.resources.kinds.find("gpu");
          return i != x.resources.kinds.end() && i->second.script == "/s";
        }},
       {"spark.worker.resourcesFile", "/f",
        [](const W& x) { return x.resources.file == "/f"; }},
       // Four heartbeats in it.
       {"spark.worker.timeout", "40s",
        [](const W& x) { return x.config.heartbeat_interval == 10s; }},
       {"stoker.kill.grace", "2s",
        [](const W& x) { return x.config.kill_grace == 2s; }},
       {"stoker.orphan.grace", "1s",
        [](const W& x) { return x.config.orphan_grace == 1s; }},
       {"stoker.worker.files.maxTotalSize", "7m",
        [](const W& x) { return x.config.file_bytes_max == 7 * 1024 * 1024; }},
       {"stoker.worker.retainedDirectories", "3",
        [](const W& x) { return x.config.retained_directories == 3; }}});
}

TEST_CASE("every setting of a job reaches its field", "[settings]") {
  struct J : JobSettings {
    auto apply(const std::vector<Setting>& settings) {
      return apply_settings(settings, *this);
    }
  };
  using std::chrono::milliseconds;
  const std::string allocation = "spark.dynamicAllocation.";
  const std::string exclude = "spark.excludeOnFailure.";
  // Those of shuffles have no effect: outputs outlive their executors anyway.
  auto of_application = application_setting_names();
  std::vector<std::string> names;
  for (const auto& name : job_setting_names())
    if (std::find(of_application.begin(), of_application.end(), name)
            == of_application.end()
        && name.find("shuffle") == std::string::npos)
      names.push_back(name);
  check_all<J>(
      names,
      {{"spark.barrier.sync.timeout", "7s",
        [](const J& x) { return x.jobs.barrier.sync_timeout == 7s; }},
       {"spark.decommission.enabled", "false",
        [](const J& x) { return !x.jobs.leaving.tasks_may_end; }},
       {"spark.driver.host", "h",
        [](const J& x) { return x.driver_host == "h"; }},
       {"spark.driver.port", "77",
        [](const J& x) { return x.driver_port == 77; }},
       {allocation + "cachedExecutorIdleTimeout", "7s",
        [](const J& x) { return x.allocation.cached_idle_timeout == 7s; }},
       {allocation + "enabled", "true",
        [](const J& x) {
          return x.allocation.enabled && x.application.cores_per_executor == 1
                 && x.application.initial_executor_limit == 0;
        }},
       {allocation + "executorAllocationRatio", "0.5",
        [](const J& x) { return x.allocation.ratio == 0.5; }},
       {allocation + "executorIdleTimeout", "7s",
        [](const J& x) { return x.allocation.idle_timeout == 7s; }},
       {allocation + "initialExecutors", "7",
        [](const J& x) { return x.allocation.initial_executors == 7; }},
       {allocation + "maxExecutors", "7",
        [](const J& x) { return x.allocation.max_executors == 7; }},
       {allocation + "minExecutors", "7",
        [](const J& x) { return x.allocation.min_executors == 7; }},
       {allocation + "schedulerBacklogTimeout", "7s",
        [](const J& x) { return x.allocation.backlog_timeout == 7s; }},
       {allocation + "sustainedSchedulerBacklogTimeout", "7s",
        [](const J& x) {
          return x.allocation.sustained_backlog_timeout == 7s;
        }},
       {exclude + "application.maxFailedExecutorsPerNode", "7",
        [](const J& x) {
          return x.jobs.exclusion.application_executors_per_host_max == 7;
        }},
       {exclude + "application.maxFailedTasksPerExecutor", "7",
        [](const J& x) {
          return x.jobs.exclusion.application_failures_per_executor_max == 7;
        }},
       {exclude + "enabled", "true",
        [](const J& x) { return x.jobs.exclusion.enabled; }},
       {exclude + "stage.maxFailedExecutorsPerNode", "7",
        [](const J& x) {
          return x.jobs.exclusion.stage_executors_per_host_max == 7;
        }},
       {exclude + "stage.maxFailedTasksPerExecutor", "7",
        [](const J& x) {
          return x.jobs.exclusion.stage_failures_per_executor_max == 7;
        }},
       {exclude + "task.maxTaskAttemptsPerExecutor", "7",
        [](const J& x) {
          return x.jobs.exclusion.task_attempts_per_executor_max == 7;
        }},
       {exclude + "task.maxTaskAttemptsPerNode", "7",
        [](const J& x) {
          return x.jobs.exclusion.task_attempts_per_host_max == 7;
        }},
       {exclude + "timeout", "7s",
        [](const J& x) { return x.jobs.exclusion.timeout == 7s; }},
       {"spark.executor.decommission.forceKillTimeout", "7s",
        [](const J& x) { return x.jobs.leaving.force_kill_timeout == 7s; }},
       {"spark.executor.decommission.killInterval", "7s",
        [](const J& x) { return x.jobs.leaving.kill_interval == 7s; }},
       {"spark.executor.heartbeatInterval", "7s",
        [](const J& x) { return x.jobs.heartbeats.interval == 7s; }},
       {"spark.executor.instances", "7",
        [](const J& x) {
          return x.allocation.executor_instances == 7
                 && x.application.initial_executor_limit == 7;
        }},
       {"spark.locality.wait", "7s",
        [](const J& x) {
          return x.jobs.wait_for_process == 7s && x.jobs.wait_for_host == 7s;
        }},
       {"spark.locality.wait.node", "7s",
        [](const J& x) { return x.jobs.wait_for_host == 7s; }},
       {"spark.locality.wait.process", "7s",
        [](const J& x) { return x.jobs.wait_for_process == 7s; }},
       {"spark.network.timeout", "77s",
        [](const J& x) { return x.jobs.heartbeats.timeout == 77s; }},
       {"spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "7s",
        [](const J& x) { return x.jobs.barrier.slots_check_interval == 7s; }},
       {"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "7",
        [](const J& x) { return x.jobs.barrier.slots_checks_max == 7; }},
       {"spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", "7s",
        [](const J& x) {
          return x.jobs.exclusion.unschedulable_timeout == 7s;
        }},
       {"spark.scheduler.mode", "fair",
        [](const J& x) { return x.jobs.mode == SchedulingMode::FAIR; }},
       {"spark.scheduler.pool", "p", [](const J& x) { return x.pool == "p"; }},
       {"spark.speculation", "true",
        [](const J& x) { return x.jobs.speculation.enabled; }},
       {"spark.speculation.interval", "7s",
        [](const J& x) { return x.jobs.speculation.interval == 7s; }},
       {"spark.speculation.minTaskRuntime", "7s",
        [](const J& x) { return x.jobs.speculation.min_run_time == 7s; }},
       {"spark.speculation.multiplier", "2.5",
        [](const J& x) { return x.jobs.speculation.multiplier == 2.5; }},
       {"spark.speculation.quantile", "0.5",
        [](const J& x) { return x.jobs.speculation.quantile == 0.5; }},
       {"spark.stage.maxConsecutiveAttempts", "7",
        [](const J& x) { return x.stage_attempts_max == 7; }},
       {"spark.task.cpus", "2", [](const J& x) { return x.task_cores == 2; }},
       {"spark.task.maxFailures", "7",
        [](const J& x) { return x.task_failures_max == 7; }},
       {"stoker.barrier.hold.timeout", "7s",
        [](const J& x) { return x.allocation.gang_hold_timeout == 7s; }},
       {"stoker.barrier.reserve.after", "7s",
        [](const J& x) { return x.jobs.barrier.reserve_after == 7s; }},
       {"stoker.barrier.reserve.timeout", "7s",
        [](const J& x) { return x.jobs.barrier.reserve_for == 7s; }}});
}

TEST_CASE("a run takes the settings of an application, and lets its executors "
          "follow what is left to do",
          "[settings]") {
  auto names = run_setting_names();
  auto takes = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& name : application_setting_names())
    CHECK(takes(name));
  CHECK_FALSE(takes("spark.task.cpus"));

  RunSettings settings;
  REQUIRE(
      apply_settings({{"spark.dynamicAllocation.enabled", "true", "--conf"},
                      {"spark.dynamicAllocation.minExecutors", "2", "--conf"},
                      {"spark.executor.instances", "3", "--conf"},
                      {"spark.executor.cores", "4", "--conf"}},
                     settings));
  CHECK(settings.allocation.min_executors == 2);
  CHECK(settings.application.initial_executor_limit == 3);
  CHECK(settings.application.cores_per_executor == 4);
  // An executor runs one instance, however many cores it has.
  CHECK(slots(settings.allocation) == 1);
}

TEST_CASE("an application that may have no executor at all is refused",
          "[settings]") {
  RunSettings run;
  CHECK(test::problem_in(
            apply_settings({{"spark.executor.instances", "0", "--conf"}}, run))
        == "spark.executor.instances is below 1: nothing would run");
  JobSettings job;
  CHECK(test::problem_in(
            apply_settings({{"spark.executor.instances", "-1", "--conf"}}, job))
        == "spark.executor.instances is below 1: nothing would run");
  CHECK(apply_settings({{"spark.executor.instances", "0", "--conf"},
                        {"spark.dynamicAllocation.enabled", "true", "--conf"}},
                       run));
}

TEST_CASE("every setting of an application reaches its field", "[settings]") {
  using A = Of<ApplicationDescription>;
  check_all<A>(
      application_setting_names(),
      {{"spark.app.cores.max", "9",
        [](const A& a) { return a.x.max_cores == 9; }},
       {"spark.app.name", "sort",
        [](const A& a) { return a.x.name == "sort"; }},
       {"spark.app.task.memory.mb", "256",
        [](const A& a) { return a.x.memory_per_task_mb == 256; }},
       {"spark.cores.max", "9", [](const A& a) { return a.x.max_cores == 9; }},
       {"spark.executor.cores", "3",
        [](const A& a) { return a.x.cores_per_executor == 3; }},
       {"spark.executor.memory", "2g",
        [](const A& a) { return a.x.memory_per_executor_mb == 2048; }},
       {"spark.executor.resource.gpu.amount", "2",
        [](const A& a) {
          return a.x.resources_per_executor == ResourceAmounts{{"gpu", 2}};
        }},
       {"stoker.app.output.whenFull", "drop",
        [](const A& a) { return a.x.reads_output == false; }},
       {"stoker.app.priority", "-4",
        [](const A& a) { return a.x.priority == -4; }},
       {"stoker.app.sql", "true", [](const A& a) { return a.x.sql; }},
       {"stoker.app.timeLimit", "90s",
        [](const A& a) { return a.x.time_limit_ms == 90'000; }},
       {"stoker.executor.gang", "3",
        [](const A& a) { return a.x.gang == 3; }}});
}

TEST_CASE("every setting of a driver reaches its field", "[settings]") {
  using D = Of<DriverDescription>;
  check_all<D>(
      driver_setting_names(),
      {{"spark.app.name", "sort",
        [](const D& d) { return d.x.name == "sort"; }},
       {"spark.driver.cores", "3", [](const D& d) { return d.x.cores == 3; }},
       {"spark.driver.memory", "2g",
        [](const D& d) { return d.x.memory_mb == 2048; }},
       {"spark.driver.resource.gpu.amount", "2",
        [](const D& d) {
          return d.x.resources == ResourceAmounts{{"gpu", 2}};
        }},
       {"spark.driver.supervise", "true",
        [](const D& d) { return d.x.supervise; }}});
}
