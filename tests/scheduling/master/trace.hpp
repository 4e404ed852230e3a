#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/master/cluster.hpp"
#include "storage/stored_tables.hpp"
#include "tests/support/words.hpp"

namespace stoker::test {

/// Plays the commands of golden traces on a Cluster and tells what follows.
/// Commands, with parts that may be left out in brackets; `E` is an endpoint,
/// which is the name of the worker or application unless `via E` says
/// otherwise:
///
///     at 60s <command>         time goes on; it stands still otherwise
///     config name=value ...    a new cluster with these fields of
///                                         ClusterConfig
///     elect                               the master leads
///     restart                             it ended; another one leads, and has
///                                         what was stored (durable=true)
///     tick                                CheckForWorkerTimeOut
///     stalled 20s                         MasterStalled
///     lost E                              the connection broke
///
///     worker w1 10 cores 10 GB [at host:port] [with gpu=0,1]
///         [spark 3.5.9,4.1.4 [only]] [leaving] [busy] [via E]
///                                         busy: it has programs already
///     heartbeat w1 [via E]
///     report w1 [old] app-1/0 driver-1 of app-1 ...    WorkerLatestState; old:
///                                         it answers a question of before; of:
///                                         it has a directory of
///     state w1 app-1/0 driver-1 ...       WorkerSchedulerStateResponse
///     leaving w1                          WorkerDecommissioning
///     left w1 [via E]                     WorkerLeft
///     decommission w1 w2                  DecommissionWorkers
///
///     app pi [spark 3.5.9|?] [2 cores] 512 MB|any [max 12] [limit 3] [gang 4] [instances 4]
///         [failures 1] [must fit] [needs gpu=1] [on host=2] [of driver-1] [by user]
///         [task 256] [priority 1] [sql] [within 60s] [after app-1] [after-ok driver-1]
///         [on-end hook [retries 2]] [was app-1] [via E]
///     want app-1 5 [gang 4] [on host=2]   RequestExecutors
///     kill app-1/0 app-1/1                KillExecutors
///     version app-1 3.5.9                 SetSparkVersion
///     alive pi [via E]                    ApplicationHeartbeat
///     acknowledge app-1                   MasterChangeAcknowledged
///     unregister app-1
///     kill app-1
///
///     executor app-1/0 running | exited [ago 5s] 1 | failed [127] | killed | lost
///
///     submit d [spark 3.5.9] 1 core 512 MB [supervise] [restarts 3] [must fit]
///         [needs gpu=1] [with 2 of 1 core 512 MB [needs gpu=1]] [after app-1]
///         [after-ok driver-1] [on-end hook [retries 2]] [as submission]
///     driver driver-1 running | finished [ago 5s] | failed 1 | killed | error
///     kill driver-1
///     status driver-1
///
///     tenants {...}                       ReconfigureTenants, in JSON
///
///     explain app-1            why it waits, or runs where it runs
///     queues                   companies, users and who is served
///     show                     all that the master knows
///     plan 2 cores 512 MB max 12 ...      cores that each worker would give
///                                         such an application (on a copy)
///
/// Ids that the master gave are written short: app-19700101000000-0001 is
/// app-1.
class Trace {
public:
  Trace();

  /// Runs these commands.
  explicit Trace(std::initializer_list<const char*> lines);

  /// Returns one line for each effect, or an answer to a question.
  /// @throws std::invalid_argument
  std::string run(const std::string& line);

  [[nodiscard]] const Cluster& cluster() const noexcept {
    return *cluster_;
  }

private:
  Event event(const std::string& verb, Words& words);
  RegisterApplication application(Words& words);
  RegisterWorker worker(Words& words);
  WorkerLatestState report(Words& words);
  Event kill(Words& words);
  Event unregister(Words& words);
  static std::optional<std::int64_t> ago(Words& words);
  ExecutorStateChanged executor(Words& words);
  DriverStateChanged driver(Words& words);
  RequestSubmitDriver driver_description(Words& words);
  std::vector<Dependency> dependencies(Words& words) const;

  void configure(Words& words);
  std::string show() const;
  std::string explain(Words& words) const;
  std::string queues() const;
  std::string plan(Words& words) const;

  /// The endpoint that the command names, or that of `name`.
  EndpointId endpoint(const std::string& name, Words& words);

  /// From `app-1` to the full id, if the master gave such a one.
  std::string full_id(const std::string& text) const;
  ExecutorId executor_id(const std::string& text) const;

  /// Writes full ids short, and remembers them.
  std::string shorten(std::string text);

  std::unique_ptr<Cluster> cluster_;
  StoredTables stored_;
  std::uint64_t epoch_ = 0;
  Instant now_;
  std::map<std::string, std::string> full_ids_;
};

} // namespace stoker::test
