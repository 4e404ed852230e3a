#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"
#include "tools/benchmark/spark_wire_context.hpp"
#include "tools/benchmark/spark_wire_driver.hpp"
#include "tools/benchmark/spark_wire_version_page.hpp"
#include "tools/benchmark/spark_wire_worker.hpp"

namespace stoker::benchmark {

using WireWorkers = std::vector<std::unique_ptr<WireWorker>>;
using WireDrivers = std::vector<std::unique_ptr<WireDriver>>;

/// Fake workers and drivers that speak Spark's wire to one master. What they say to the
/// master is written before it is sent, and connecting is over before anything is
/// measured.
class WireCluster {
public:
  /// Whether workers have a page that says their version, as real ones do. Spark's master
  /// does not look at it; Stoker's does before it registers them.
  enum class Pages : std::uint8_t { none, answered };

  /// @param table of the version that they have; has to outlive it
  WireCluster(const spark::VersionTable& table, const spark::RpcAddress& master,
              Pages pages = Pages::answered);

  /// Connected, and not registered.
  WireWorkers make_workers(int count, int cores, int memory_mb);
  WireDrivers make_drivers(int count, const WireAppSize& size);

  /// Those made from now on have the addresses and ids of the first ones, who have gone:
  /// they come back.
  void begin_again() {
    next_index_ = 0;
  }

  /// Those made from now on can be called by a master that is new.
  void let_all_listen() {
    all_listen_ = true;
  }

  /// All at once. Returns when the master has confirmed the last one.
  BenchClock::time_point register_all(const WireWorkers& workers);

  /// Returns when the master has answered a question that each of them has asked: so it
  /// has handled what they said before.
  template <class Peers>
  BenchClock::time_point drain(const Peers& peers) {
    auto& statuses = tally().statuses;
    auto wanted = statuses.value + static_cast<std::int64_t>(peers.size());
    for (const auto& peer : peers)
      peer->ask_status();
    until("answers are there", statuses, wanted);
    return statuses.last_at;
  }

  /// Serves all until something has happened so often.
  void until(const char* what, const WireCount& count, std::int64_t wanted) {
    loop().run_until(what, [&] { return count.value >= wanted; });
  }

  [[nodiscard]] WireTally& tally() noexcept {
    return context_.tally;
  }
  [[nodiscard]] WireLoop& loop() noexcept {
    return context_.loop;
  }

private:
  /// Makes and connects them, a few at a time, so that no connection waits for its turn.
  template <class Peer, class... Arguments>
  std::vector<std::unique_ptr<Peer>> make(int count,
                                          const Arguments&... arguments);

  WireContext context_;
  std::optional<WireVersionPage> page_;
  int next_index_ = 0;
  bool all_listen_ = false;
};

} // namespace stoker::benchmark
