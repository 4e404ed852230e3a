#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>

#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

/// Counts what arrives at the actors of this process, and tells one who waits
/// when the last of what is expected has come.
class Counter {
public:
  explicit Counter(std::string what) : what_(std::move(what)) {
  }

  void add() {
    std::lock_guard lock{mutex_};
    if (++value_ == expected_) {
      reached_at_ = BenchClock::now();
      reached_.notify_one();
    }
  }

  /// From now on, so many more. Comes before what causes them.
  void expect(std::int64_t more) {
    std::lock_guard lock{mutex_};
    expected_ = value_ + more;
  }

  /// Returns when the last one came. Throws std::runtime_error when it does not
  /// come in time.
  BenchClock::time_point await() {
    constexpr std::chrono::seconds limit{60};
    std::unique_lock lock{mutex_};
    if (!reached_.wait_for(lock, limit, [&] { return value_ >= expected_; }))
      throw std::runtime_error(std::to_string(value_) + " of "
                               + std::to_string(expected_) + " " + what_
                               + " after a minute");
    return reached_at_;
  }

private:
  std::string what_;
  std::mutex mutex_;
  std::condition_variable reached_;
  std::int64_t value_ = 0;
  std::int64_t expected_ = 0;
  BenchClock::time_point reached_at_;
};

/// Counts each of many once in a round, however often it is told the same.
class RoundCounter {
public:
  /// The last round in which one of them was counted. Each keeps its own.
  using Round = int;

  explicit RoundCounter(std::string what) : counter_(std::move(what)) {
  }

  /// Begins a round in which so many are to be counted. Comes before what
  /// causes it.
  void begin(std::int64_t count) {
    counter_.expect(count);
    ++round_;
  }

  [[nodiscard]] Round round() const noexcept {
    return round_;
  }

  void add(Round& last) {
    auto present = round();
    if (last == present)
      return;
    last = present;
    counter_.add();
  }

  /// As `Counter::await`.
  BenchClock::time_point await() {
    return counter_.await();
  }

private:
  Counter counter_;
  std::atomic<Round> round_{0};
};

} // namespace stoker::benchmark
