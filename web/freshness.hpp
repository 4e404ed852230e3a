#pragma once

#include <chrono>
#include <cstdint>

namespace stoker {

/// Of how much news something was made, and what that took. What took long is of use for a
/// while though there is news: a large cluster that is busy would be written anew for each
/// who reads, and the machine is the master's, too.
class Freshness {
public:
  using Clock = std::chrono::steady_clock;

  /// @param news how much there had been when it was begun
  Freshness(std::uint64_t news, Clock::time_point begin, Clock::time_point end)
      : news_(news), at_(end), cost_(end - begin) {
  }

  /// More was done for those who read it.
  void add_cost(Clock::duration x) {
    cost_ += x;
  }

  /// @param needed of how much news it has to be in any case
  /// @param factor how many times longer than it took to make it is of use though there is
  /// news; 0: it is of no use then
  [[nodiscard]] bool lasts(std::uint64_t news, std::uint64_t needed,
                           Clock::time_point now, int factor) const {
    return news == news_
           || (news_ >= needed && cost_ > cheap && now - at_ < factor * cost_);
  }

private:
  static constexpr std::chrono::milliseconds cheap{1};

  std::uint64_t news_;
  Clock::time_point at_;
  Clock::duration cost_;
};

} // namespace stoker
