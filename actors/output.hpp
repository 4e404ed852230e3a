#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "messages/all.hpp"
#include "messages/serialization.hpp"
#include "process/output_reader.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/worker/output_readers.hpp"

namespace stoker {

/// A request for output, with what its worker knows of each position.
struct ReadOutput {
  RequestOutput request;
  std::vector<std::optional<OutputSource>> sources;
};

/// What has become of a program.
struct OutputStarted {
  ProgramId id;

  /// It is an executor whose application reads its output.
  bool is_read = false;
};
struct OutputAdopted {
  ProgramId id;
};
/// Also said when one will not be started again.
struct OutputEnded {
  ProgramId id;

  /// How many bytes it wrote, if it is an executor whose application reads its output.
  std::int64_t unread = 0;
};
/// The application has all output of an executor that has ended.
struct OutputHasBeenTaken {
  ExecutorId id;
};
/// The application has ended.
struct OutputReaderLeft {
  AppId app;
};

struct OutputTick {};

/// The OUTPUT of a worker reads what programs have written, and waits for what
/// they will write, so that the worker does not.
using OutputActor = caf::typed_actor<
    // Answers when there is something to tell, or when the time is up. Without
    // any part: ask again.
    caf::replies_to<ReadOutput>::with<OutputResponse>,
    caf::reacts_to<OutputStarted>, caf::reacts_to<OutputAdopted>,
    caf::reacts_to<OutputEnded>, caf::reacts_to<OutputHasBeenTaken>,
    caf::reacts_to<OutputReaderLeft>, caf::reacts_to<OutputTick>>;

/// The state of the OUTPUT.
struct OutputState {
  std::optional<WallClock> clock;

  /// Takes what logs have to keep.
  std::function<void(const OutputToKeep&)> keep;

  std::optional<OutputReaders> readers;

  /// A request that waits for something to tell.
  struct Waiting {
    ReadOutput question;
    caf::typed_response_promise<OutputResponse> answer;

    /// Of the positions, when they were looked at last, if they were.
    std::optional<std::vector<std::optional<process::OutputStamp>>> stamps;

    /// Whether a program could not write when this was asked.
    bool had_problem = false;

    /// When to look next, and how long after that.
    Instant look_at;
    Duration pause{};

    Instant until;
  };
  std::list<Waiting> waiting;

  WakeUp wake_up;

  /// Names the actor in logs.
  static constexpr const char* name = "output";
};

/// It blocks its thread while it reads.
/// @param log_bytes The size of one log file.
/// @param log_files How many a log has. What all of them hold is also what an application
/// may leave unread of its ended executors before its running ones wait.
OutputActor::behavior_type
output(OutputActor::stateful_pointer<OutputState> self, std::int64_t log_bytes,
       int log_files, std::function<void(const OutputToKeep&)> keep);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ReadOutput)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputStarted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputAdopted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputHasBeenTaken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputReaderLeft)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OutputTick)
