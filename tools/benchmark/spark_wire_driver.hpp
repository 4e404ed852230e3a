#pragma once

#include <string>
#include <string_view>

#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/spark_wire_peer.hpp"

namespace stoker::benchmark {

/// How many executors an application has, and how large they are.
struct WireAppSize {
  int executors = 1;
  int cores = 1;
  int memory_mb = 512;
};

/// A driver of Spark's whose application runs nothing.
class WireDriver : public WirePeer {
public:
  WireDriver(WireContext& context, int index, const WireAppSize& size);

  void register_it() {
    sent_at_ = BenchClock::now();
    tell(registration_);
  }

  /// @pre it is registered
  void unregister() {
    tell(unregistration_);
  }

  [[nodiscard]] BenchClock::time_point sent_at() const noexcept {
    return sent_at_;
  }
  [[nodiscard]] BenchClock::time_point registered_at() const noexcept {
    return registered_at_;
  }

  /// How many of its executors it was told run.
  [[nodiscard]] int running() const noexcept {
    return running_;
  }

  [[nodiscard]] BenchClock::time_point first_executor_at() const noexcept {
    return first_executor_at_;
  }
  [[nodiscard]] BenchClock::time_point all_running_at() const noexcept {
    return running_at_;
  }

protected:
  void hear(std::string_view message, std::string_view content) override;

private:
  void hear_of_executor();

  // Whole frames.
  std::string registration_;
  std::string unregistration_;

  std::string id_;
  BenchClock::time_point sent_at_{};
  BenchClock::time_point registered_at_{};
  BenchClock::time_point first_executor_at_{};
  BenchClock::time_point running_at_{};
  int executors_ = 0;
  int running_ = 0;
};

} // namespace stoker::benchmark
