#pragma once

// Workers that cannot start programs, because their disk is full or their
// processes are too many, rest for a while. They have most room, so without that
// they would be given everything.

#include <string>

#include "scheduling/master/step.hpp"

namespace stoker {

/// A program could not be started there, and not for its own sake: the worker rests
/// for `ClusterConfig::worker_backoff`, and twice as long each time in a row, up to
/// 32 times. What fails while it rests belongs to the same failure.
void note_failed_start(Step& step, WorkerKey key, const std::string& why);

/// A program runs there that was given to it at `launched`.
void note_start(Step& step, WorkerKey key, Instant launched);

/// It has come back, perhaps mended.
void forget_failed_starts(Step& step, WorkerKey key);

/// Ends its rest, if that is over.
void check_rest(Step& step, WorkerKey key);

} // namespace stoker
