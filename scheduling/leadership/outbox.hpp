#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "messages/leader_epoch.hpp"
#include "messages/result.hpp"
#include "scheduling/leadership/connections.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

/// All that reaches a peer of a master.
using PeerMessage = std::variant<MasterMessage, LaunchExecutor, LaunchDriver>;

/// Numbers the requests that a host has passed on, from 1 on. 0 is none.
using RequestNumber = std::uint64_t;

/// Counts the steps of a master's life.
using StepNumber = std::uint64_t;

/// What one step makes a master send, complete in itself: by the time that it is
/// sent, the state may have gone on.
struct Outbox {
  /// Send `message` over the connection that there was when it was decided. A
  /// peer that has come back over another one has lost it, as it has lost what
  /// was under way.
  struct Message {
    PeerNumber to = 0;
    PeerMessage message;
  };

  /// Answer a request.
  struct Response {
    RequestNumber request = 0;

    /// What was decided; nothing for a question whose answer the host holds
    /// (`MasterLogic::ask_after_commit`). Or why nothing was decided.
    Result<std::optional<Answer>> answer;
  };

  using Item = std::variant<Message, Response>;

  StepNumber step = 0;

  /// The leadership that the messages are of.
  LeaderEpoch epoch;

  /// In order.
  std::vector<Item> items;
};

/// The messages of a step to those who are connected, completed with what the
/// cluster knows now; and the answer to `request`, if there was one. Takes them
/// out of the step.
[[nodiscard]] Outbox make_outbox(const Cluster& cluster,
                                 const Connections& connections,
                                 OutgoingMessages&& messages,
                                 RequestNumber request);

/// What those are told who ask a master that does not lead.
/// @param why its leadership ended, or could not begin; empty: it has not tried
[[nodiscard]] Error not_alive(const std::string& why = {});

} // namespace stoker
