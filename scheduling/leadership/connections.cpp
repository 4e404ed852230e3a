#include "scheduling/leadership/connections.hpp"

#include <map>
#include <utility>

namespace stoker {

Connections::Heard
Connections::hear(const EndpointId& endpoint, PeerNumber peer,
                  const std::optional<ConnectionStamp>& stamp) {
  auto [i, is_new] = by_endpoint_.try_emplace(endpoint, Connection{peer, {}});
  auto& present = i->second;
  if (is_new)
    by_peer_[peer].insert(endpoint);
  if (!stamp)
    return {present.peer == peer, std::nullopt};
  if (*stamp < present.stamp)
    return {};
  present.stamp = *stamp;
  if (present.peer == peer)
    return {true, std::nullopt};
  auto unused = leave(endpoint, std::exchange(present.peer, peer));
  by_peer_[peer].insert(endpoint);
  return {true, unused};
}

/// Returns the connection if nobody else uses it.
std::optional<PeerNumber> Connections::leave(const EndpointId& endpoint,
                                             PeerNumber peer) {
  auto i = by_peer_.find(peer);
  i->second.erase(endpoint);
  if (!i->second.empty())
    return std::nullopt;
  by_peer_.erase(i);
  return peer;
}

std::vector<EndpointId> Connections::disconnect(PeerNumber peer) {
  auto gone = by_peer_.extract(peer);
  if (gone.empty())
    return {};
  for (const auto& endpoint : gone.mapped())
    by_endpoint_.erase(endpoint);
  return {gone.mapped().begin(), gone.mapped().end()};
}

std::vector<PeerNumber> Connections::clear() {
  // A connection comes at the first of its endpoints.
  std::map<EndpointId, PeerNumber> firsts;
  for (const auto& [peer, endpoints] : by_peer_)
    firsts.emplace(*endpoints.begin(), peer);
  std::vector<PeerNumber> result;
  for (const auto& [endpoint, peer] : firsts)
    result.push_back(peer);
  by_peer_.clear();
  by_endpoint_.clear();
  return result;
}

std::optional<PeerNumber> Connections::find(const EndpointId& endpoint) const {
  auto i = by_endpoint_.find(endpoint);
  if (i == by_endpoint_.end())
    return std::nullopt;
  return i->second.peer;
}

} // namespace stoker
