#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/leader_election.hpp"
#include "storage/data_directory.hpp"

namespace stoker {

/// Of several that are under way the latest counts.
struct ElectionTick {
  std::uint64_t number = 0;
};

/// A LEADER ELECTION among the masters that share a data directory: the one that
/// holds its lock leads.
using LockElectionActor
    = LeaderElectionActor::extend<caf::reacts_to<ElectionTick>>;

/// The state of the election by a lock.
struct LockElectionState {
  std::string directory;
  std::optional<DataDirectory> held;
  caf::typed_response_promise<bool> contender;
  caf::typed_response_promise<std::string> leader;

  std::uint64_t last_tick = 0;

  /// Whether people have been told why this master does not lead.
  bool told = false;

  /// Names the actor in logs.
  static constexpr const char* name = "leader-election";
};

LockElectionActor::behavior_type
lock_election(LockElectionActor::stateful_pointer<LockElectionState> self,
              std::string directory);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ElectionTick)
