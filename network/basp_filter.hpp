#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include <caf/io/basp/header.hpp>
#include <caf/node_id.hpp>

#include "messages/result.hpp"
#include "network/basp_questions.hpp"

namespace stoker {

/// What a peer may say over one connection of CAF's protocol.
struct BaspRules {
  /// Of this process.
  caf::node_id node;

  /// The actor that others may reach here.
  caf::actor_id actor = 0;

  /// Of one message, without its header, in bytes.
  std::uint32_t message_max = 64 * 1024 * 1024;

  /// How many actors of the peer may speak: CAF keeps one of its own for each.
  std::size_t speakers_max = 65'536;

  /// Whether a peer of that name may come in; called once for each connection,
  /// before CAF hears of it.
  std::function<Status(const caf::node_id&)> introduce;
};

/// Stands between a peer that connects and CAF, which believes all that it is
/// told. What passes is CAF's protocol (BASP, version 3) and comes from one node:
///
///     handshake ------> messages        anything else ends the connection
///
/// - A message goes to the one actor that is published, and carries no way back
///   to anybody but its sender. What is for others is dropped: CAF's own actors ask
///   each other at the beginning, and need no answer.
/// - It is made of our own messages and of plain values: what CAF obeys by itself,
///   as the order to end or the news of another one's end, does not pass.
/// - It answers only what the actor has asked this peer.
/// - What is said of monitors and of actors that ended is said of the peer's own.
/// - Nothing is passed on to other nodes.
/// - Lengths are limited, and a message reaches CAF when it is complete.
///
/// Source: CAF 0.17.6, libcaf_io/caf/io/basp (header.hpp, message_type.hpp).
class BaspFilter {
public:
  explicit BaspFilter(BaspRules rules);

  /// Takes the next bytes, however they are cut, and appends to `out` what may
  /// pass. After an error, which says what is wrong in one line, nothing may.
  Status filter(std::span<const char> bytes, std::vector<char>& out);

  /// Takes the next bytes that CAF says to the peer, however they are cut.
  void said(std::span<const char> bytes);

  /// What of an incomplete message is kept here, in bytes.
  [[nodiscard]] std::size_t held() const noexcept {
    return gathered_.size();
  }

  /// The peer's node, once it has been introduced.
  [[nodiscard]] const caf::node_id& peer() const noexcept {
    return peer_;
  }

private:
  /// How the payload of a message is treated. Of one that is begun, the beginning
  /// decides. What is passed or checked is kept here until the message is complete: CAF makes room
  /// for the length in a header as soon as it reads that.
  enum class Payload { checked, begun, passed, dropped };

  Status begin_frame(std::vector<char>& out);
  void take(std::span<const char> bytes);
  Status judge_beginning();
  void forget_gathered();
  Status check_complete();
  Status add_speaker();
  Status read_handshake();
  Status check_node_message();

  BaspRules rules_;
  BaspQuestions questions_;
  std::unordered_set<caf::actor_id> speakers_;
  caf::node_id peer_;
  caf::io::basp::header header_{};
  Payload payload_ = Payload::checked;

  /// The header while it is incomplete, then what is gathered behind it.
  std::vector<char> gathered_;

  /// What of the payload is still to come; nothing: a header is.
  std::optional<std::uint32_t> missing_;
};

} // namespace stoker
