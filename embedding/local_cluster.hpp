#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/master_storage.hpp"
#include "embedding/application_run.hpp"
#include "embedding/page_settings.hpp"
#include "embedding/supervisor_path.hpp"
#include "gateway/shuffle_service.hpp"
#include "metrics/master_metrics.hpp"
#include "network/actor_network.hpp"
#include "scheduling/master/config.hpp"
#include "scheduling/worker/worker_logic.hpp"
#include "storage/message_log_files.hpp"

namespace stoker {

struct LocalClusterConfig {
  int workers = 1;

  /// Per worker. Unset: the machine's, shared among the workers.
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;

  ClusterConfig cluster;

  /// For each worker; names, size and environment are filled in, and named
  /// resources are dealt out among them.
  /// `work_directory` must be set.
  WorkerConfig worker;

  /// Variables of this process that programs find besides the usual ones
  /// (`inherited_environment`). By default all, since process and programs have one owner.
  std::vector<std::string> passed_variables{"ALL"};

  /// Where the master listens, if it does; port 0 chooses one.
  std::optional<MasterAddress> listen;

  /// The executable that supervises, see `find_supervisor`. Empty: the one of `stoker`.
  std::string supervisor;

  /// Reads the rules for tenants again (see MasterServices).
  std::function<Result<TenantsConfig>()> load_tenants;

  /// Where every event of the master is written, if anywhere.
  std::string message_log;
  MessageLogLimits message_log_limits;

  /// Where the master stores what must outlive it, if anywhere.
  MasterStorage storage;

  /// For a process that serves pages of the cluster: the cluster itself does not use them.
  PageSettings pages;

  /// Told once, on some thread, that the master or a worker has failed, as by an
  /// exception: the cluster is of no use any more.
  std::function<void(const std::string& why)> on_failure;

  /// Whether what the master commits can be followed (`LocalCluster::feed`).
  /// Costs the master a copy of each change, also where nothing is stored.
  bool feed = false;

  /// Counts what the master does. Null: nobody does.
  std::shared_ptr<MasterMetrics> metrics;
};

Status validate(const LocalClusterConfig& config);

/// A master and workers in this process, for laptops, tests and embedding.
class LocalCluster {
public:
  /// Returns the cluster with all workers registered.
  static Result<std::unique_ptr<LocalCluster>> start(ActorNetwork& network,
                                                     LocalClusterConfig config);

  /// Ends all executors and drivers, surely, then master and workers.
  ~LocalCluster();

  /// Has the master read the rules for tenants again; it logs what came of it.
  void reload_tenants();

  /// Where to connect to, when it listens.
  [[nodiscard]] const std::string& url() const noexcept {
    return url_;
  }

  /// For actors of the same process.
  [[nodiscard]] ConnectorActor connector() const;

  [[nodiscard]] MasterActor master() const {
    return master_;
  }

  /// Tells what the master commits to whoever asks it for that (FollowChanges):
  /// first a snapshot, then all that changes. Null unless it was configured.
  [[nodiscard]] FeedActor feed() const {
    return feed_;
  }

private:
  explicit LocalCluster(ActorNetwork& network) : network_(network) {
  }

  Status start_workers(const LocalClusterConfig& config);

  /// Asks the master until its answer is as it should be.
  using StateCondition = std::function<bool(const MasterStateResponse&)>;
  Status await(const char* what_failed, const StateCondition& condition);

  /// How many of ours the master knows so.
  [[nodiscard]] std::size_t alive(const MasterStateResponse& x) const;
  [[nodiscard]] std::size_t present(const MasterStateResponse& x) const;

  ActorNetwork& network_;
  std::string url_;
  MasterActor master_;
  FeedActor feed_;
  FoundSupervisor supervisor_;
  std::vector<WorkerActor> workers_;

  /// Theirs. Null for those without a Spark.
  std::vector<std::unique_ptr<ShuffleService>> shuffle_services_;

  /// Theirs.
  std::set<WorkerId> ids_;
  std::vector<std::future<void>> ends_;
};

} // namespace stoker
