#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "storage/data_directory.hpp"

namespace stoker {

/// Answered when this master may lead, for which it tries from `after` on.
struct Contend {
  std::chrono::milliseconds after{0};
};

/// Answered with the reason when it may lead no longer.
struct AwaitRevocation {};

/// Let another lead.
struct Resign {};

/// Of several that are under way the latest counts.
struct ElectionTick {
  std::uint64_t number = 0;
};

/// The LEADER ELECTION decides which of several masters leads: the one that
/// holds the lock of the data directory that they share. What it decides may be
/// wrong for a while, as with any lock: the epoch in the store decides what
/// counts (messages/leader_epoch.hpp).
using LeaderElectionActor
    = caf::typed_actor<caf::replies_to<Contend>::with<bool>,
                       caf::replies_to<AwaitRevocation>::with<std::string>,
                       caf::reacts_to<Resign>, caf::reacts_to<ElectionTick>>;

/// The state of the LEADER ELECTION.
struct LeaderElectionState {
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

LeaderElectionActor::behavior_type
leader_election(LeaderElectionActor::stateful_pointer<LeaderElectionState> self,
                std::string directory);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::Contend)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AwaitRevocation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::Resign)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ElectionTick)
