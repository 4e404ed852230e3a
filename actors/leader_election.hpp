#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace stoker {

/// Answered when this master may lead, for which it tries from `after` on.
struct Contend {
  std::chrono::milliseconds after{0};
};

/// Answered with why this master, which contends, may not lead yet, as soon as that is
/// not what is `known`; and when it may. Empty: another one leads, or nothing is in its way.
struct AwaitObstacle {
  std::optional<std::string> known;
};

/// Answered with the reason when it may lead no longer.
struct AwaitRevocation {};

/// Let another lead.
struct Resign {};

/// This master leads, and does what a leader has to do.
struct ShowThatItLeads {};

/// The LEADER ELECTION decides which of several masters leads. What it decides
/// may be wrong for a while, as with any lock: the epoch in the store decides
/// what counts (messages/leader_epoch.hpp). By a lock: actors/lock_election.hpp.
using LeaderElectionActor
    = caf::typed_actor<caf::replies_to<Contend>::with<bool>,
                       caf::replies_to<AwaitObstacle>::with<std::string>,
                       caf::replies_to<AwaitRevocation>::with<std::string>,
                       caf::reacts_to<Resign>, caf::reacts_to<ShowThatItLeads>>;

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::Contend)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AwaitObstacle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AwaitRevocation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::Resign)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ShowThatItLeads)
