#pragma once

#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include <caf/error.hpp>

#include "scheduling/cluster.hpp"

namespace stoker {

/// What a step makes a master say, complete in itself: by the time that it is
/// said, the state may have gone on.
struct MasterSpeech {
  /// Nothing is said to who is not connected then.
  using Message = std::variant<Send, std::pair<EndpointId, LaunchExecutor>,
                               std::pair<EndpointId, LaunchDriver>>;
  std::vector<Message> messages;

  /// Answers a request, if the step was caused by one: with what was decided,
  /// or with the error that kept it from being committed.
  std::function<void(const caf::error& problem)> answer;

  [[nodiscard]] bool empty() const noexcept {
    return messages.empty() && !answer;
  }
};

/// What a step's effects say to peers. Takes the messages out of them.
std::vector<MasterSpeech::Message> messages_of(const Cluster& cluster,
                                               Effects& effects);

} // namespace stoker
