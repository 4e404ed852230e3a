#pragma once

#include <chrono>
#include <optional>

namespace stoker {

/// How long a run whose end has come waits for what its instances still write.
///
/// A run ends before its instances if its time is up, if it is killed, if another
/// instance failed, or if its user interrupts it. The instances are told to end then, and
/// may have something to say. An instance that says nothing is not waited for.
class LastWords {
public:
  using Clock = std::chrono::steady_clock;

  /// Without any output for so long, the run does not wait any more.
  static constexpr std::chrono::milliseconds silence_max{1'200};

  /// Users who interrupt a run do not want to wait longer.
  static constexpr std::chrono::milliseconds interrupted_max{1'000};

  /// The run is over, or is being ended. Later calls change nothing.
  void begin(Clock::time_point now) {
    if (!last_)
      last_ = now;
  }

  /// The user has interrupted the run. Later calls change nothing.
  void interrupt(Clock::time_point now) {
    if (!interrupted_)
      interrupted_ = now;
  }

  /// Something was brought, however long that took.
  void heard(Clock::time_point now) {
    if (last_)
      last_ = now;
  }

  /// Whether the instances have become silent.
  [[nodiscard]] bool are_over(Clock::time_point now) const {
    return last_ && now - *last_ >= silence_max;
  }

  /// Whether the user has waited long enough.
  [[nodiscard]] bool are_cut_off(Clock::time_point now) const {
    return interrupted_ && now - *interrupted_ >= interrupted_max;
  }

private:
  std::optional<Clock::time_point> last_;
  std::optional<Clock::time_point> interrupted_;
};

} // namespace stoker
