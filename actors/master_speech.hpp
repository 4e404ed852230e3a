#pragma once

#include <functional>
#include <unordered_map>
#include <variant>
#include <vector>

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>

#include "scheduling/master/cluster.hpp"

namespace stoker {

/// What a step makes a master say, complete in itself: by the time that it is
/// said, the state may have gone on.
struct Outbox {
  struct Message {
    /// The connection that there was when it was decided. A peer that has come
    /// back over another one has lost it, as it has what was under way.
    caf::strong_actor_ptr to;
    std::variant<MasterMessage, LaunchExecutor, LaunchDriver> what;
  };
  std::vector<Message> messages;

  /// Answers a request, if the step was caused by one: with what was decided,
  /// or with the error that kept it from being committed.
  std::function<void(const caf::error& problem)> answer;

  [[nodiscard]] bool empty() const noexcept {
    return messages.empty() && !answer;
  }
};

/// The present connection of each peer.
using Connections = std::unordered_map<EndpointId, caf::strong_actor_ptr>;

/// The messages of a step to those who are connected. Takes them out of the step.
std::vector<Outbox::Message> messages_of(const Cluster& cluster,
                                         const Connections& connections,
                                         OutgoingMessages& messages);

} // namespace stoker
