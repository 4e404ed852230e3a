#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/address.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

/// `stoker master` as people start it, in a process of its own, with its log in
/// a file. It and its files are gone with this object.
class MasterProcess {
public:
  /// @param settings As for `--conf`, as "spark.deploy.spreadOut=false".
  /// @param logged Whether it writes a message log.
  explicit MasterProcess(const std::vector<std::string>& settings = {},
                         bool logged = false);

  /// Returns when its port can be connected to. Throws std::runtime_error when
  /// that takes too long.
  BenchClock::time_point await_port();

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
  TemporaryDirectory directory_;
  MasterAddress address_;
  BenchClock::time_point started_at_;
  std::unique_ptr<ChildProcess> child_;
};

} // namespace stoker::benchmark
