#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spark/frame.hpp"
#include "spark/messages.hpp"
#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"

namespace stoker::benchmark {

/// A worker, as it registers.
struct WireWorkerFacts {
  std::string id;
  spark::RpcAddress address;
  std::int32_t cores = 0;
  std::int32_t memory_mb = 0;

  /// Empty: it has none.
  std::string page_url{};
};

/// An application, as its driver registers it.
struct WireAppFacts {
  std::string name;
  spark::RpcAddress driver;
  std::int32_t cores_max = 0;
  std::int32_t cores_per_executor = 1;
  std::int32_t memory_per_executor_mb = 0;
};

/// An executor that a worker runs.
struct WireExecutor {
  std::string app_id;
  std::int32_t id = 0;
  std::int32_t cores = 0;
  std::int32_t memory_mb = 0;
};

/// What workers and drivers of one version of Spark say to a master: Java streams.
class SparkWireWriter {
public:
  /// @param table has to outlive it
  SparkWireWriter(const spark::VersionTable& table, spark::RpcAddress master)
      : table_(table), master_(std::move(master)) {
  }

  // -- anybody ----------------------------------------------------------------

  [[nodiscard]] std::string check_existence() const;

  /// Of a driver that there is not: the master itself has to answer, in its turn.
  [[nodiscard]] std::string request_driver_status() const;

  // -- workers ----------------------------------------------------------------

  [[nodiscard]] std::string register_worker(const WireWorkerFacts& x) const;
  [[nodiscard]] std::string heartbeat(const WireWorkerFacts& x) const;

  /// Of one that runs nothing.
  [[nodiscard]] std::string
  worker_latest_state(const std::string& worker_id) const;

  [[nodiscard]] std::string worker_scheduler_state_response(
      const std::string& worker_id,
      const std::vector<WireExecutor>& executors) const;

  /// As real workers say it: of a killed executor with the exit status of a signal.
  [[nodiscard]] std::string
  executor_state_changed(const std::string& app_id, std::int32_t executor,
                         spark::ExecutorState x) const;

  // -- drivers ----------------------------------------------------------------

  [[nodiscard]] std::string register_application(const WireAppFacts& x) const;
  [[nodiscard]] std::string
  unregister_application(const std::string& app_id) const;
  [[nodiscard]] std::string
  master_change_acknowledged(const std::string& app_id) const;

  // -- frames -----------------------------------------------------------------

  /// What is told.
  [[nodiscard]] std::string told(const spark::RpcAddress& sender,
                                 std::string_view content) const;

  /// What is asked.
  [[nodiscard]] std::string asked(std::int64_t request,
                                  const spark::RpcAddress& sender,
                                  std::string_view endpoint,
                                  std::string_view content) const;

  [[nodiscard]] const spark::RpcAddress& master() const noexcept {
    return master_;
  }

private:
  const spark::VersionTable& table_;
  spark::RpcAddress master_;
};

} // namespace stoker::benchmark
