#pragma once

#include <cstddef>
#include <unordered_map>

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>

#include "scheduling/leadership/connections.hpp"

namespace stoker {

/// The actors behind the connections of a MASTER. It knows of each only that it
/// takes messages: it may be a worker or an application of ours in another
/// process, or a proxy that speaks another protocol.
///
/// Invariant: both maps have the same pairs.
class Peers {
public:
  /// The number of an actor, which becomes known if it was not.
  PeerNumber number_of(const caf::strong_actor_ptr& peer);

  /// 0: it is not known, or it is nobody.
  [[nodiscard]] PeerNumber find(const caf::actor_addr& peer) const;

  /// Null: it is not known.
  [[nodiscard]] caf::strong_actor_ptr actor(PeerNumber number) const;

  [[nodiscard]] std::size_t size() const noexcept {
    return actors_.size();
  }

  /// Forgets one. Its number is not used again.
  void erase(PeerNumber number);

private:
  std::unordered_map<PeerNumber, caf::strong_actor_ptr> actors_;
  std::unordered_map<caf::actor_addr, PeerNumber> numbers_;
  PeerNumber last_ = 0;
};

} // namespace stoker
