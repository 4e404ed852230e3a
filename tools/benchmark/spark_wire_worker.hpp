#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/benchmark/spark_wire_peer.hpp"

namespace stoker::benchmark {

/// A worker of Spark's that starts no programs: it says that executors run as soon as it
/// is told to launch them, and that they were killed.
class WireWorker : public WirePeer {
public:
  WireWorker(WireContext& context, int index, int cores, int memory_mb);

  void register_it() {
    tell(registration_);
  }
  void beat() {
    tell(heartbeat_);
  }

protected:
  void hear(std::string_view message, std::string_view content) override;

private:
  void launch(std::string_view order);
  void kill(std::string_view order);

  WireWorkerFacts facts_;

  // Whole frames.
  std::string registration_;
  std::string heartbeat_;
  std::string latest_state_;

  /// Who it is, and to whom it speaks, in front of its reports.
  std::string header_;
  std::vector<WireExecutor> executors_;
};

} // namespace stoker::benchmark
