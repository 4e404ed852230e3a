#include "network/basp_broker.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

namespace stoker {

namespace {

using BeatAtom = caf::atom_constant<caf::atom("beat")>;

/// Speaks BASP with other nodes, and gives them signs of life. CAF's own keeps an
/// actor for each node that it has met, for spawning actors there, and keeps it for
/// ever.
class Broker : public caf::io::basp_broker {
public:
  using basp_broker::basp_broker;

  caf::behavior make_behavior() override {
    caf::message_handler beats{
        [this](BeatAtom) { instance.send_heartbeats(context()); }};
    return beats.or_else(basp_broker::make_behavior());
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
