#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace stoker {

/// What a MASTER counts of its own work since its process began (docs/metrics.md). All of
/// it may be called by any thread at any time.
class MasterMetrics {
public:
  /// @param store_file what it stores in, whose size and whose disk are measured whenever
  /// somebody reads; empty: it stores nothing
  explicit MasterMetrics(std::string store_file = {});
  ~MasterMetrics();

  MasterMetrics(const MasterMetrics&) = delete;
  MasterMetrics& operator=(const MasterMetrics&) = delete;

  /// Its state machine has decided about one event.
  void step();

  /// Something may happen: it is counted from now on, if only as 0. As in `event`.
  void know_event(std::string_view name);

  /// Something was committed that is told in the log.
  /// @param name one of a set that stays, as `worker-lost`; it must live as long as the
  /// program
  void event(std::string_view name);

  /// Somebody may not register, connect, or say what he says.
  /// @param of a word that stays: `worker`, `application`, `driver`, `connection` or `message`
  void refusal(std::string_view of);

  /// The store has answered.
  void commit(std::chrono::nanoseconds took, std::size_t changes);

  /// It refuses changes, or to let this master lead.
  void failed_commit();

  /// It leads since now.
  void leadership();

  /// How many workers, applications and others are connected.
  void set_peers(std::size_t count);

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace stoker
