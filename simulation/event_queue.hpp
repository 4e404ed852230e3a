#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "scheduling/common/instant.hpp"

namespace stoker::simulation {

/// The only clock and the only thread of a simulated cluster: what is to happen,
/// in order of time, and of equal times in the order in which it was planned.
class EventQueue {
public:
  [[nodiscard]] Instant now() const noexcept {
    return now_;
  }

  [[nodiscard]] Duration since_begin() const noexcept {
    return now_ - begin;
  }

  void at(Instant when, std::function<void()> what) {
    planned_.emplace(std::pair{std::max(when, now_), next_++}, std::move(what));
  }

  void after(Duration pause, std::function<void()> what) {
    at(now_ + pause, std::move(what));
  }

  /// Lets everything happen until `end`, which is then the time.
  void run_until(Instant end) {
    while (!planned_.empty() && planned_.begin()->first.first <= end) {
      auto node = planned_.extract(planned_.begin());
      now_ = node.key().first;
      ++happened_;
      node.mapped()();
    }
    now_ = end;
  }

  [[nodiscard]] std::uint64_t happened() const noexcept {
    return happened_;
  }

private:
  // Late in 2025, so that ids look like real ones.
  static constexpr Instant begin{std::chrono::hours{24 * 365 * 56}};

  Instant now_ = begin;
  std::uint64_t next_ = 0;
  std::uint64_t happened_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> planned_;
};

} // namespace stoker::simulation
