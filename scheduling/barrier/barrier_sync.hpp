#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/dynamic_bitset.hpp>

#include "messages/barrier.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// What follows from its call.
struct BarrierAnswer {
  int task = 0;
  std::int32_t epoch = 0;

  /// What all tasks have said, by task; empty strings for BARRIER. Null: an error.
  std::shared_ptr<const std::vector<std::string>> messages;

  /// In one line; empty: it may go on.
  std::string error;
};
using BarrierAnswers = std::vector<BarrierAnswer>;

struct BarrierSyncConfig {
  /// Of the stage, at least 1.
  int tasks = 1;

  /// Whoever waits does so for at most so long, counted from the first one that came
  /// [spark.barrier.sync.timeout].
  Duration timeout = std::chrono::hours{24 * 365};

  /// Of all messages of one ALL_GATHER, in bytes.
  std::size_t message_bytes_max = barrier_messages_max;

  /// "stage 3 (attempt 0)", for people.
  std::string stage;
};

/// Lets the tasks of one attempt at a barrier stage wait for each other (document 003): a
/// task that comes to a barrier is answered when all have come. A pure state machine.
///
///     epoch e: nobody -> some wait -> all have come -> epoch e + 1
///                            \-> one never comes, too late, or calls something else -> failed
///
/// Nobody has to repeat a call (messages/barrier.hpp). One that is repeated all the same
/// changes nothing while it waits; when it was answered last, it is answered again; earlier
/// ones are refused. What fails once fails for good: the stage has to be tried again as a
/// whole.
class BarrierSync {
public:
  explicit BarrierSync(BarrierSyncConfig config);

  BarrierAnswers arrive(Instant now, BarrierArrival x);

  /// It comes to no barrier any more.
  BarrierAnswers task_ended(int task);

  /// Fails whoever has waited for too long.
  BarrierAnswers look(Instant now);

  /// When to look; unset: nobody waits.
  [[nodiscard]] std::optional<Instant> due() const {
    return due_;
  }

  /// Barriers that all have passed.
  [[nodiscard]] std::int32_t epoch() const noexcept {
    return epoch_;
  }

  [[nodiscard]] int waiting() const noexcept {
    return static_cast<int>(arrived_.count());
  }

  /// Empty: it goes on.
  [[nodiscard]] const std::string& error() const noexcept {
    return error_;
  }

private:
  using Bits = boost::dynamic_bitset<>;

  [[nodiscard]] static Bits::size_type bit(int task) noexcept {
    return static_cast<Bits::size_type>(task);
  }
  [[nodiscard]] bool is_task(int task) const noexcept {
    return task >= 0 && task < config_.tasks;
  }
  [[nodiscard]] BarrierAnswers answer_late(const BarrierArrival& x) const;
  BarrierAnswers release();
  BarrierAnswers fail(const std::string& why);
  BarrierAnswers fail_if_some_never_come();
  BarrierAnswers answer_all(const BarrierAnswer& what);
  [[nodiscard]] std::string place() const;

  BarrierSyncConfig config_;
  std::int32_t epoch_ = 0;

  // Of this epoch.
  Bits arrived_;
  BarrierCall call_ = BarrierCall::BARRIER;
  std::shared_ptr<std::vector<std::string>> messages_;
  std::size_t message_bytes_ = 0;
  std::optional<Instant> due_;

  /// Of the last epoch, for those who ask again.
  std::shared_ptr<const std::vector<std::string>> last_messages_;

  Bits ended_;
  std::string error_;
};

} // namespace stoker
