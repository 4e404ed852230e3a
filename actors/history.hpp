#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/feed.hpp"
#include "messages/all.hpp"
#include "messages/serialization.hpp"
#include "storage/history_follower.hpp"
#include "storage/history_store.hpp"

namespace stoker {

/// Time has passed: what is new is written, and what is old removed.
struct HistoryTick {};

/// The HISTORY writes what has ended to a file of its own, on a thread of its own. It
/// follows what is committed, so no commit waits for it; a file that cannot be written
/// costs nothing but the history.
using HistoryActor = caf::typed_actor<
    // From the master: what a driver says of its jobs.
    caf::reacts_to<ReportJobs>,
    // Questions, which the master passes on. Fail as `HistoryStore`.
    caf::replies_to<RequestHistory>::with<HistoryResponse>,
    caf::replies_to<RequestUse>::with<UseResponse>,
    // -- INTERNAL
    caf::reacts_to<HistoryTick>>;

struct HistoryConfig {
  FeedActor feed;

  /// Empty: in memory.
  std::string path;
  HistoryLimits limits;

  /// It is spawned detached.
  bool has_own_thread = false;
};

/// The state of the HISTORY.
struct HistoryState {
  /// More is not read before this is written.
  static constexpr std::size_t unwritten_max = 50'000;

  HistoryConfig config;
  std::optional<WallClock> clock;
  HistoryFollower follower;

  /// Null: not opened yet, or it cannot be.
  std::unique_ptr<HistoryStore> store;

  /// What is new, in order.
  std::vector<HistoryChange> unwritten;
  bool follows = false;
  bool will_tick = false;

  /// Its thread is of a lower priority.
  bool gives_way = false;

  /// It could not be written the last time.
  bool fails = false;

  /// When old entries were looked for.
  std::optional<Instant> cleaned;

  /// This actor, which lives until it has written what was new: others have no need of it
  /// then.
  HistoryActor own;

  /// Names the actor in logs.
  static constexpr const char* name = "history";
};

/// To be spawned detached. Ends with the feed.
HistoryActor::behavior_type
history(HistoryActor::stateful_pointer<HistoryState> self,
        HistoryConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::HistoryTick)
