#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "messages/result.hpp"
#include "scheduling/registration/registration.hpp"
#include "scheduling/worker/spark_home.hpp"

namespace stoker {

/// Static configuration of a worker.
struct WorkerConfig {
  WorkerId id;
  EndpointId endpoint;

  /// How many workers went by this id and endpoint before.
  std::uint64_t life = 0;

  std::string host;

  /// What the worker offers.
  int cores = 1;
  std::int64_t memory_mb = 1024;
  ResourceAddresses resources;

  /// Executors and drivers have their directories below it.
  std::string work_directory;

  /// Where programs find a master, as STOKER_MASTER. Empty: at the present one.
  std::string masters;

  /// What programs find in their environment, before their own.
  std::map<std::string, std::string> environment;

  /// What programs of Spark's are started with.
  std::vector<SparkHome> spark_homes;

  /// By which name or address a Spark executor listens to other machines. Empty:
  /// `host`.
  std::string spark_host;

  /// Where Spark's executors find the shuffle service of this worker, at the same host;
  /// 0: there is none [spark.shuffle.service.port].
  std::uint16_t shuffle_port = 0;

  /// Applications whose executors an earlier shuffle service of this worker has served.
  std::vector<AppId> shuffle_served;

  /// This worker's own, where Spark's executors have their local files, in a directory
  /// for each application. Empty: below the work directory.
  std::string spark_directory;

  /// This worker's own, where it keeps files that go with commands. Empty: below the work
  /// directory.
  std::string file_directory;

  /// Of all of them, in bytes: those that were not used for longest go first
  /// [stoker.worker.files.maxTotalSize].
  std::int64_t file_bytes_max = std::int64_t{10} << 30;

  /// A quarter of the master's time-out for workers [spark.worker.timeout].
  Duration heartbeat_interval = std::chrono::seconds{15};

  /// A report that has not been acknowledged is repeated after so long.
  Duration repeat_after = std::chrono::seconds{5};

  /// How long programs have between TERM and KILL.
  Duration kill_grace = std::chrono::seconds{5};

  /// How long executors that serve may go on when this worker leaves: they have
  /// left their application, which nobody ends them for
  /// [spark.executor.decommission.forceKillTimeout].
  Duration decommission_timeout = std::chrono::minutes{10};

  /// How long programs live on without this worker.
  Duration orphan_grace = std::chrono::seconds{10};

  /// Ended applications and drivers whose directories are kept
  /// [stoker.worker.retainedDirectories].
  int retained_directories = 200;

  /// Of each program's standard output, and of its standard error: the size of
  /// one file in bytes [spark.executor.logs.rolling.maxSize], and how many are
  /// kept [spark.executor.logs.rolling.maxRetainedFiles].
  std::int64_t log_bytes_max = std::int64_t{64} * 1024 * 1024;
  int log_files = 4;

  RegistrationConfig registration;
};

/// Whether a worker can be configured so; if not, the first thing that is wrong.
Status validate(const WorkerConfig& config);

} // namespace stoker
