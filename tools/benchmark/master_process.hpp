#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "network/address.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

/// How a master is started.
struct MasterRecipe {
  /// As for `--conf`, as "spark.deploy.spreadOut=false".
  std::vector<std::string> settings{};

  /// Whether it writes a message log.
  bool logged = false;

  /// Whether what it acknowledges outlives it: recovery mode SQLITE, not NONE.
  bool durable = false;

  /// Its data directory. Empty: one of its own, which is gone with it.
  std::string data{};

  /// 0: one that is free.
  std::uint16_t port = 0;

  /// Where it shows pages. 0: nowhere.
  std::uint16_t web_port = 0;

  /// Whether nobody proves anything; else by the credentials of this process's user.
  bool insecure = true;
};

/// `stoker master` as people start it, in a process of its own, with its log in
/// a file. It and its files are gone with this object.
class MasterProcess {
public:
  explicit MasterProcess(const MasterRecipe& recipe = {});

  /// Returns when its port can be connected to. Throws std::runtime_error when
  /// that takes too long.
  BenchClock::time_point await_port();

  /// Returns when its log has these words. Throws std::runtime_error when that
  /// takes too long.
  BenchClock::time_point await_log(const std::string& words);

  /// Ends it as kill -9 does, and returns when that was. Only `address` and
  /// `started_at` may be called afterwards.
  BenchClock::time_point kill();

  [[nodiscard]] const MasterAddress& address() const noexcept {
    return address_;
  }

  [[nodiscard]] BenchClock::time_point started_at() const noexcept {
    return started_at_;
  }

  [[nodiscard]] ProcessUse use() const {
    return use_of(child_->pid());
  }

private:
  void await(BenchClock::time_point deadline);

  TemporaryDirectory directory_;
  MasterAddress address_;
  BenchClock::time_point started_at_;
  std::unique_ptr<ChildProcess> child_;

  /// What of its log has been read.
  std::ifstream log_;
  std::string seen_;
};

/// The program `stoker`, beside this one.
std::string stoker_path();

/// What the files of a directory hold, in bytes.
std::int64_t size_of_files(const std::string& directory);

} // namespace stoker::benchmark
