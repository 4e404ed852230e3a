#include "actors/connector.hpp"

#include <algorithm>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

namespace {

/// Lives for one request, on a thread of its own: connecting blocks.
ConnectorActor::behavior_type connect_once(ConnectorActor::pointer self,
                                           ActorNetwork* network,
                                           const MasterAddress& address,
                                           std::chrono::milliseconds timeout) {
  return {
      [=](const ConnectToMaster&) -> caf::result<caf::strong_actor_ptr> {
        self->quit();
        auto master = network->connect<MasterActor>(address, timeout);
        if (!master)
          return to_caf_error(master.error());
        return caf::actor_cast<caf::strong_actor_ptr>(*std::move(master));
      },
  };
}

ConnectorActor::behavior_type connect_each(ConnectorActor::pointer self,
                                           ActorNetwork* network,
                                           std::vector<MasterAddress> masters,
                                           std::chrono::milliseconds timeout) {
  return {
      [self, network, masters = std::move(masters),
       timeout](const ConnectToMaster& x) {
        auto once = self->spawn<caf::detached>(connect_once, network,
                                               masters.at(x.master), timeout);
        return self->delegate(once, x);
      },
  };
}

ConnectorActor::behavior_type connect_locally(ConnectorActor::pointer,
                                              MasterActor master) {
  return {
      [master = std::move(master)](const ConnectToMaster&) {
        return caf::actor_cast<caf::strong_actor_ptr>(master);
      },
  };
}

} // namespace

ConnectorActor network_connector(ActorNetwork& network,
                                 std::vector<MasterAddress> masters,
                                 std::chrono::milliseconds patience) {
  return network.system().spawn(connect_each, &network, std::move(masters),
                                std::clamp<std::chrono::milliseconds>(
                                    patience, ActorNetwork::shortest_attempt,
                                    ActorNetwork::longest_attempt));
}

ConnectorActor local_connector(caf::actor_system& system, MasterActor master) {
  return system.spawn(connect_locally, std::move(master));
}

} // namespace stoker
