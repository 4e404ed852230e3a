#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "scheduling/leadership/master_logic.hpp"
#include "storage/change_feed.hpp"

namespace stoker {

/// A leadership has begun with what is stored.
struct BeginFeed {
  LeaderEpoch epoch;
  std::shared_ptr<const StoredState> stored;
};

/// A driver has told of its jobs. What it said is nowhere stored: the master is asked.
struct JobsReported {};

/// Answered with what follows a position, when there is something.
struct FollowChanges {
  FeedPosition after;

  /// Answered, too, when drivers have told of their jobs another number of times. Unset:
  /// who follows does not care.
  std::optional<std::uint64_t> jobs;
};

/// Answered with the position of who has read all that was published before the question.
struct RequestFeedPosition {};

/// The FEED tells in its own process what the leader has committed, to as many
/// as ask for it, without the MASTER: pages, metrics, an embedding program.
using FeedActor = caf::typed_actor<
    // -- from the master
    caf::reacts_to<BeginFeed>, caf::reacts_to<PublishBatch>,
    caf::reacts_to<JobsReported>,
    // -- from who follows: asks again with the position of each answer
    caf::replies_to<FollowChanges>::with<FeedUpdate>,
    caf::replies_to<RequestFeedPosition>::with<FeedPosition>>;

/// The state of the FEED.
struct FeedState {
  ChangeFeed feed;

  /// How often drivers have told of their jobs.
  std::uint64_t jobs = 0;

  /// Who waits for something new.
  struct Follower {
    FollowChanges question;
    caf::typed_response_promise<FeedUpdate> answer;
  };
  std::vector<Follower> followers;

  /// Names the actor in logs.
  static constexpr const char* name = "feed";
};

/// @param limit How many changes are kept for those who are behind.
FeedActor::behavior_type feed(FeedActor::stateful_pointer<FeedState> self,
                              std::size_t limit);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::BeginFeed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::PublishBatch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::JobsReported)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FollowChanges)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::RequestFeedPosition)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedPosition)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FeedUpdate)
