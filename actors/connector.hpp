#pragma once

#include <chrono>
#include <vector>

#include "actors/interfaces.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// A CONNECTOR for actors of this network, which must outlive it. Gives each attempt
/// as much time as whoever waits for `patience` in all can spare.
ConnectorActor network_connector(ActorNetwork& network,
                                 std::vector<MasterAddress> masters,
                                 std::chrono::milliseconds patience
                                 = ActorNetwork::longest_attempt);

/// A CONNECTOR to a master of the same actor system.
ConnectorActor local_connector(caf::actor_system& system, MasterActor master);

} // namespace stoker
