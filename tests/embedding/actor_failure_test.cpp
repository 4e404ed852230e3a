// What becomes known of an actor that fails: embedding/actor_failure.hpp.

#include "embedding/actor_failure.hpp"

#include <future>
#include <stdexcept>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "network/actor_network.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

caf::behavior throwing(caf::event_based_actor* self) {
  explain_exceptions(self);
  return {[](const std::string& what) { throw std::runtime_error{what}; }};
}

/// What is said about an actor once it has ended.
std::string said_after(const std::function<void(const caf::actor&)>& end) {
  ActorNetwork network;
  auto actor = network.system().spawn(throwing);
  // Functors are called in the reverse order: this one last.
  std::promise<void> ended;
  actor->attach_functor([&] { ended.set_value(); });
  std::string said;
  on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
             "the actor", [&](const std::string& why) { said = why; });
  end(actor);
  REQUIRE(ended.get_future().wait_for(10s) == std::future_status::ready);
  return said;
}

} // namespace

TEST_CASE("an actor that throws has failed, and says why", "[embedding]") {
  auto said = said_after([](const caf::actor& x) {
    caf::anon_send(x, std::string{"the disk is gone"});
  });
  CHECK(said.find("the actor has failed") == 0);
  CHECK(said.find("the disk is gone") != std::string::npos);
}

TEST_CASE("an actor that is told to end has not failed", "[embedding]") {
  CHECK(said_after([](const caf::actor& x) {
          caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
        })
        == "");
}
