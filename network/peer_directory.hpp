#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <caf/node_id.hpp>

#include "messages/result.hpp"
#include "network/identity.hpp"

namespace stoker {

/// Who is behind the nodes that are connected here. May be used by any thread.
///
/// Invariant: a node is one connection, and one identity for as long as it is
/// there. Who has left is remembered for a minute: what he said last may not have
/// been read yet.
class PeerDirectory {
public:
  /// @param identity Nothing: nobody proves anything here.
  /// @param leave Ends the connection; called at most once, by any thread.
  /// Fails if the node is there. If it is the same identity the former connection
  /// is ended, since its peer has left it: the next attempt succeeds.
  Status enter(const caf::node_id& node, std::optional<Identity> identity,
               std::function<void()> leave);

  /// Its connection has ended.
  void leave(const caf::node_id& node);

  /// Of a node that is there, or was until just now. Nothing: it is not known, or
  /// has proven nothing.
  [[nodiscard]] std::optional<Identity> find(const caf::node_id& node) const;

  /// How many are there.
  [[nodiscard]] std::size_t size() const;

private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    std::optional<Identity> identity;
    std::function<void()> leave;

    /// Unset: it is there.
    std::optional<Clock::time_point> left;
  };

  /// @pre the lock is held
  void forget_those_who_left();

  mutable std::mutex mutex_;
  std::map<caf::node_id, Peer> peers_;

  /// Those who have left, in order; who has come again since may be among them.
  std::deque<std::pair<Clock::time_point, caf::node_id>> left_;
};

} // namespace stoker
