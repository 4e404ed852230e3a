#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/interfaces.hpp"
#include "embedding/job_session.hpp"
#include "jobs/datasets.hpp"
#include "network/actor_network.hpp"
#include "network/tls_config.hpp"

namespace stoker::jobs {

struct ContextConfig {
  /// Of the application [spark.app.name]. Empty: the program's.
  std::string name;

  /// "stoker://HOST:PORT", several of them with commas between; or "local", "local[2]": a
  /// cluster in this process, with all or so many of the machine's cores. Empty:
  /// STOKER_MASTER, or, without that, "local".
  std::string master;

  /// Settings by their names, as of `stoker job`: spark.executor.cores,
  /// spark.executor.memory, spark.cores.max, spark.task.maxFailures ..., and
  /// spark.default.parallelism, spark.memory.fraction.
  std::map<std::string, std::string> conf;

  /// What proves that this process may use the master. Without: it is the user's own, on
  /// this machine. Certificates without a list of revoked ones have that of STOKER_TLS_REVOKED.
  TlsConfig tls;

  /// How long a master is looked for, and looked for again.
  std::chrono::milliseconds patience{10'000};

  /// Wait for a worker that is large enough, if none is; else that is an error.
  bool wait_for_workers = false;

  /// What workers start as executor. Empty: this program, without arguments, under its
  /// name on this machine.
  std::vector<std::string> executor_command;

  /// Whether Ctrl-C and SIGTERM interrupt this context. The second one ends the process.
  /// Needs a context that is started before the program's own threads.
  bool interrupted_by_signals = true;

  /// Of "local": how many workers share the cores; where executors work (empty: a
  /// directory below /tmp, which goes in the end); the program `stoker` (empty: the
  /// installed one).
  int local_workers = 1;
  std::string work_directory;
  std::string supervisor;

  /// Told what happens, on a thread of the context.
  std::function<void(const JobNews&)> on_news;
};

/// An application whose jobs are those of datasets: Spark's SparkContext. Its executors
/// are processes of this program, whose main function calls `executor_main` first. It
/// ends with this object; datasets can be kept longer, and then have no actions that
/// succeed. May be used by several threads at once.
class Context : public Datasets {
public:
  /// Returns before there are executors. Fails if the configuration is wrong, if two
  /// functions of this program have one name, or if the cluster of this process cannot
  /// start. There is one in a process, which has the one ActorNetwork.
  static Result<std::unique_ptr<Context>> start(ContextConfig config);

  /// The same in a network that there is, with a master that the connector finds, as
  /// `LocalCluster::connector`. `master` and `tls` of the configuration are of no use.
  static Result<std::unique_ptr<Context>>
  start(ActorNetwork& network, ConnectorActor connector, ContextConfig config);

  ~Context();

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// All actions that run fail now, and all later ones. May be called by any thread.
  void interrupt(const std::string& why);

  /// How many executors are connected.
  [[nodiscard]] int executors() const;

private:
  class Impl;
  explicit Context(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace stoker::jobs
