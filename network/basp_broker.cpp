#include "network/basp_broker.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/forwarding_actor_proxy.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/system_messages.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

namespace stoker {

namespace {

using BeatAtom = caf::atom_constant<caf::atom("beat")>;

/// Speaks BASP with other nodes, and gives them signs of life. CAF's own
/// - keeps an actor for each node that it has met, for spawning actors there, and keeps
///   it for ever;
/// - hears of the end of a connection one turn late, after those who read for it in other
///   threads, of which there are none here (see ActorNetwork). To a peer that is connected
///   again in the same turn, it would give the actor that ends with the old connection, and
///   close the new one.
/// - has each proxy, once it has ended, take the proxy of the same actor out of the
///   registry, a moment later. Of a peer that is connected again by then, that is the new
///   one: its connection stands, and leads nowhere.
class Broker : public caf::io::basp_broker {
public:
  using basp_broker::basp_broker;

  caf::behavior make_behavior() override {
    caf::message_handler own{
        [this](BeatAtom) { instance.send_heartbeats(context()); },
        [this](const caf::io::connection_closed_msg& x) {
          connection_cleanup(x.handle, caf::sec::none);
        }};
    return own.or_else(basp_broker::make_behavior());
  }

  /// Whoever ends a proxy has taken it out of the registry before.
  caf::strong_actor_ptr make_proxy(caf::node_id node,
                                   caf::actor_id id) override {
    if (!node || id == caf::invalid_actor_id)
      return nullptr;
    caf::actor_config plain;
    return caf::make_actor<caf::forwarding_actor_proxy, caf::strong_actor_ptr>(
        id, std::move(node), &system(), plain,
        caf::actor_cast<caf::actor>(ctrl()));
  }

  void learned_new_node_directly(const caf::node_id& /*node*/,
                                 bool /*known*/) override {
  }

  void learned_new_node_indirectly(const caf::node_id& /*node*/) override {
  }
};

} // namespace

caf::actor basp_broker(caf::actor_system& system) {
  return system.middleman().named_broker<Broker>(caf::atom("StokerBASP"));
}

caf::actor start_heartbeats(caf::actor_system& system,
                            std::chrono::milliseconds every) {
  return system.spawn(
      [broker = basp_broker(system), every](caf::event_based_actor* self) {
        self->send(self, BeatAtom::value);
        return caf::behavior{[=](BeatAtom) {
          caf::anon_send(broker, BeatAtom::value);
          self->delayed_send(self, every, BeatAtom::value);
        }};
      });
}

} // namespace stoker
