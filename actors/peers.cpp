#include "actors/peers.hpp"

#include <caf/actor_cast.hpp>

namespace stoker {

PeerNumber Peers::number_of(const caf::strong_actor_ptr& peer) {
  auto& number = numbers_[caf::actor_cast<caf::actor_addr>(peer)];
  if (number == 0) {
    number = ++last_;
    actors_.emplace(number, peer);
  }
  return number;
}

PeerNumber Peers::find(const caf::actor_addr& peer) const {
  // Nobody has no hash.
  if (!peer)
    return 0;
  auto i = numbers_.find(peer);
  return i == numbers_.end() ? 0 : i->second;
}

caf::strong_actor_ptr Peers::actor(PeerNumber number) const {
  auto i = actors_.find(number);
  return i == actors_.end() ? nullptr : i->second;
}

void Peers::erase(PeerNumber number) {
  auto i = actors_.find(number);
  if (i == actors_.end())
    return;
  numbers_.erase(caf::actor_cast<caf::actor_addr>(i->second));
  actors_.erase(i);
}

} // namespace stoker
