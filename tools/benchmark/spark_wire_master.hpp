#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"
#include "tools/benchmark/spark_wire_loop.hpp"

namespace stoker::benchmark {

/// Whose master is measured.
struct WireSystem {
  /// "stoker", or "spark" with its version.
  std::string peer;

  /// Where Spark is; empty: it is Stoker.
  std::string spark_home;

  /// Of the version that fake workers and drivers have.
  const spark::VersionTable* table = nullptr;

  [[nodiscard]] bool is_spark() const noexcept {
    return !spark_home.empty();
  }
};

/// Spark, if `stoker-bench --spark` names an environment that has it, and then Stoker.
/// Fakes have the version of that Spark for both. Throws std::runtime_error when the
/// environment has none.
std::vector<WireSystem> wire_systems();

/// How a master is started.
struct WireRecipe {
  /// Where it stores what outlives it; empty: it stores nothing.
  std::string state{};

  /// How long Spark's waits for those that do not come back.
  int timeout_s = 600;

  // 0: ones that are free.
  std::uint16_t port = 0;
  std::uint16_t web_port = 0;
};

/// A master as people start it, in a process of its own, with its log in a file. It and
/// its files are gone with this object, but for what it stores.
class WireMaster {
public:
  WireMaster(const WireSystem& system, const WireRecipe& recipe);

  /// Returns when it leads; nobody is served meanwhile.
  void await_leading();

  /// Whether its port can be connected to.
  [[nodiscard]] bool listens() const;

  /// Whether it has said that it leads, or that it waits for those who knew the last
  /// leader. Throws std::runtime_error when it has ended.
  bool has_begun_to_recover();
  bool leads();

  /// Ends it as kill -9 does.
  void kill() {
    child_.reset();
  }

  /// Of Spark's wire.
  [[nodiscard]] const spark::RpcAddress& address() const noexcept {
    return address_;
  }
  [[nodiscard]] std::uint16_t web_port() const noexcept {
    return web_port_;
  }
  [[nodiscard]] BenchClock::time_point started_at() const noexcept {
    return started_at_;
  }
  [[nodiscard]] ProcessUse use() const {
    return use_of(child_->pid());
  }

private:
  /// Whether its log has one of these words.
  bool has_said(const std::string& words, const std::string& other_words);

  TemporaryDirectory directory_;
  spark::RpcAddress address_;
  std::uint16_t web_port_;
  bool is_spark_;
  BenchClock::time_point started_at_;
  std::unique_ptr<ChildProcess> child_;

  /// What of its log has been read.
  std::ifstream log_;
  std::string seen_;
};

/// CPU that a master, and this process, have used since this object was made.
class WireMeter {
public:
  explicit WireMeter(const WireMaster& master)
      : master_(master), master_before_(master.use().cpu_seconds),
        own_before_(own_cpu_seconds()) {
  }

  [[nodiscard]] double master_seconds() const {
    return master_.use().cpu_seconds - master_before_;
  }
  [[nodiscard]] double own_seconds() const {
    return own_cpu_seconds() - own_before_;
  }

private:
  const WireMaster& master_;
  double master_before_;
  double own_before_;
};

} // namespace stoker::benchmark
