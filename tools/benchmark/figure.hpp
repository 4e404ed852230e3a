#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stoker::benchmark {

using BenchClock = std::chrono::steady_clock;

inline double seconds_between(BenchClock::time_point from,
                              BenchClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

inline double seconds_since(BenchClock::time_point from) {
  return seconds_between(from, BenchClock::now());
}

/// Measured values of one kind. What is asked of none is 0.
class Samples {
public:
  void add(double value) {
    values_.push_back(value);
  }

  void add_all(const Samples& more) {
    values_.insert(values_.end(), more.values_.begin(), more.values_.end());
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return values_.size();
  }

  [[nodiscard]] double min() const {
    return quantile(0);
  }
  [[nodiscard]] double median() const {
    return quantile(0.5);
  }
  [[nodiscard]] double max() const {
    return quantile(1);
  }

  /// The value that a share `q` of all is not above.
  [[nodiscard]] double quantile(double q) const;

private:
  std::vector<double> values_;
};

/// One line of results: a JSON object that says what was measured ("bench" and
/// whole numbers and words) and what came of it. Fields keep their order.
class Figure {
public:
  /// @param peer What was measured.
  explicit Figure(const std::string& bench, const std::string& peer = "stoker");

  Figure& text(const std::string& name, const std::string& value);
  Figure& flag(const std::string& name, bool value);
  Figure& count(const std::string& name, std::int64_t value);

  /// With as many digits as measuring gives.
  Figure& number(const std::string& name, double value);

  /// `samples` are seconds. Adds NAME_min_ms, NAME_p50_ms and NAME_p99_ms.
  Figure& latency(const std::string& name, const Samples& samples);

  /// The same in microseconds.
  Figure& short_latency(const std::string& name, const Samples& samples);

  /// Writes the line to standard output, at once.
  void print() const;

private:
  Figure& field(const std::string& name, std::string json);

  std::vector<std::pair<std::string, std::string>> fields_;
};

} // namespace stoker::benchmark
