#include "scheduling/leadership/connections.hpp"

#include <map>
#include <utility>

namespace stoker {

std::optional<PeerNumber> Connections::connect(const EndpointId& endpoint,
                                               PeerNumber peer) {
  auto& current = by_endpoint_[endpoint];
  if (current == peer)
    return std::nullopt;
  std::optional<PeerNumber> unused;
  if (auto i = by_peer_.find(current); i != by_peer_.end()) {
    i->second.erase(endpoint);
    if (i->second.empty()) {
      unused = current;
      by_peer_.erase(i);
    }
  }
  current = peer;
  by_peer_[peer].insert(endpoint);
  return unused;
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
  return i->second;
}

} // namespace stoker
