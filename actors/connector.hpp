#pragma once

#include <vector>

#include "actors/interfaces.hpp"
#include "network/actor_network.hpp"

namespace stoker {

/// A CONNECTOR for actors of this network, which must outlive it.
ConnectorActor network_connector(ActorNetwork& network,
                                 std::vector<MasterAddress> masters);

/// A CONNECTOR to a master of the same actor system.
ConnectorActor local_connector(caf::actor_system& system, MasterActor master);

} // namespace stoker
