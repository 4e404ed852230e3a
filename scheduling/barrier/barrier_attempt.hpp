#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "messages/barrier.hpp"
#include "scheduling/barrier/barrier_sync.hpp"

namespace stoker {

struct BarrierAttemptConfig {
  StageId stage;
  int attempt = 0;

  /// Of the stage, for people.
  std::string name;

  /// Where each task runs, and the host of that executor, by task.
  std::vector<int> exec_ids;
  std::vector<std::string> hosts;

  /// [spark.barrier.sync.timeout]
  Duration sync_timeout = BarrierSyncConfig{}.timeout;
};

/// Send this to each of these executors. It may be large.
struct TellBarrier {
  std::set<int> exec_ids;
  std::variant<BarrierTasksMayBegin, BarrierPassed> message;
};
using TellBarriers = std::vector<TellBarrier>;

/// One attempt at a barrier stage: its tasks begin when all executors have theirs, and
/// wait for each other (BarrierSync). What concerns several tasks is told once, in the same
/// words to all of their executors. A pure state machine.
class BarrierAttempt {
public:
  /// @pre as many executors as hosts, and some
  explicit BarrierAttempt(BarrierAttemptConfig config);

  /// An executor has its tasks. Saying it again changes nothing.
  TellBarriers ready(const BarrierTasksReady& x);

  TellBarriers arrive(Instant now, BarrierArrived x);

  /// A task did what it should: it comes to no barrier any more.
  TellBarriers task_finished(int task);

  /// Fails whoever has waited for too long.
  TellBarriers look(Instant now);

  /// When to look; unset: nobody waits.
  [[nodiscard]] std::optional<Instant> due() const {
    return sync_.due();
  }

private:
  void tell(const BarrierAnswers& answers, TellBarriers& result) const;
  [[nodiscard]] TellBarriers tell(const BarrierAnswers& answers) const;

  BarrierAttemptConfig config_;
  BarrierSync sync_;

  /// Executors that do not have their tasks yet, as far as is known.
  std::set<int> not_ready_;
  std::uint16_t port_ = 0;
};

} // namespace stoker
