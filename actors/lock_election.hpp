#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "actors/leader_election.hpp"
#include "scheduling/leadership/leader_watch.hpp"
#include "storage/data_directory.hpp"

namespace stoker {

/// Of several that are under way the latest counts.
struct ElectionTick {
  std::uint64_t number = 0;
};

struct LockElectionConfig {
  std::string directory;

  /// What a leader may not go on without, besides the directory. Empty: nothing.
  std::string database;

  /// A leader that has shown no sign of life for so long is ended.
  Duration leader_timeout = std::chrono::seconds{12};
};

/// A LEADER ELECTION among the masters that share a data directory: the one that
/// holds its lock leads. One that hangs is ended, or its lock is put aside.
using LockElectionActor
    = LeaderElectionActor::extend<caf::reacts_to<ElectionTick>>;

/// The state of the election by a lock.
struct LockElectionState {
  LockElectionConfig config;
  std::optional<WallClock> clock;
  std::optional<DataDirectory> held;

  /// The directory has been there.
  bool was_there = false;
  caf::typed_response_promise<bool> contender;
  caf::typed_response_promise<std::string> leader;

  /// Who waits for another reason why it may not lead than the one he knows.
  caf::typed_response_promise<std::string> asks_for_obstacle;
  std::optional<std::string> known_obstacle;

  std::uint64_t last_tick = 0;

  /// What is seen of the leader, and when to look next.
  LeaderWatch watch;
  Instant look_at;

  /// What people were told last of why this master does not lead.
  std::optional<std::string> told;
  Instant tell_at;

  /// Names the actor in logs.
  static constexpr const char* name = "leader-election";
};

LockElectionActor::behavior_type
lock_election(LockElectionActor::stateful_pointer<LockElectionState> self,
              LockElectionConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ElectionTick)
