#pragma once

#include <cstdint>
#include <string>

#include "spark/messages.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/spark_wire_loop.hpp"
#include "tools/benchmark/spark_wire_report.hpp"
#include "tools/benchmark/spark_wire_writer.hpp"

namespace stoker::benchmark {

/// How often something has happened, and when it did last.
struct WireCount {
  std::int64_t value = 0;
  BenchClock::time_point last_at{};

  void add() {
    ++value;
    last_at = BenchClock::now();
  }
};

/// What has happened to all of the fakes together.
struct WireTally {
  // Answers to what they have asked.
  WireCount masters_verified;
  WireCount statuses;
  WireCount running_reports;
  WireCount killed_reports;

  // What workers were told.
  WireCount workers_registered;
  WireCount executors_launched;
  WireCount executors_killed;

  // What drivers were told.
  WireCount apps_registered;
  WireCount executors_added;
  WireCount executors_running;

  // What both were told.
  WireCount masters_changed;
};

/// What somebody asks; its answer has the same number.
enum class WireQuestion : std::uint8_t {
  existence = 1,
  status,
  running_report,
  killed_report,
};

/// What all fakes share.
struct WireContext {
  WireContext(const spark::VersionTable& table, const spark::RpcAddress& master,
              std::uint16_t port_of_peers)
      : writer(table, master), running(writer, spark::ExecutorState::running),
        killed(writer, spark::ExecutorState::killed), peer_port(port_of_peers) {
  }

  /// Of a request: no two are the same, and the question can be told from it.
  std::int64_t next_request(WireQuestion x) {
    return (static_cast<std::int64_t>(x) << question_shift) + ++requests;
  }
  static WireQuestion question_of(std::int64_t request) {
    return static_cast<WireQuestion>(request >> question_shift);
  }

  static constexpr int question_shift = 40;

  WireLoop loop;
  WireTally tally;
  SparkWireWriter writer;
  WireReport running;
  WireReport killed;

  /// Each listens at this one, at its own address.
  std::uint16_t peer_port;

  /// Where workers have a page; 0: they have none.
  std::uint16_t page_port = 0;
  std::int64_t requests = 0;
};

} // namespace stoker::benchmark
