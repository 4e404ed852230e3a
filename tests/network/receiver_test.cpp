// Whether an actor keeps up: network/receiver.hpp.

#include "network/receiver.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/replies_to.hpp>
#include <caf/send.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// An actor that waits, in its own thread, to handle the first number that it is told.
struct ReceiverFixture {
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::promise<void> go;
  std::promise<void> begun;
  std::shared_ptr<std::atomic<int>> handled
      = std::make_shared<std::atomic<int>>(0);
  caf::actor actor
      = system.spawn<caf::detached>([this](caf::event_based_actor* self) {
          return caf::behavior{[this, self, count = handled,
                                waits = go.get_future().share()](int x) {
            if (*count == 0) {
              begun.set_value();
              waits.wait();
            }
            ++*count;
            if (x < 0)
              self->quit();
          }};
        });
  Receiver receiver{caf::actor_cast<caf::strong_actor_ptr>(actor)};

  void tell(int x) {
    caf::anon_send(actor, x);
  }

  /// How many were handled when it had caught up.
  std::future<int> caught_up() {
    auto promise = std::make_shared<std::promise<int>>();
    receiver.when_caught_up(
        [promise, count = handled] { promise->set_value(*count); });
    return promise->get_future();
  }

  ~ReceiverFixture() {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    receiver.close();
  }
};

using Typed = caf::typed_actor<caf::replies_to<int>::with<int>>;

/// As all of ours: it has no answer of its own to what it does not know.
Typed::behavior_type typed(Typed::pointer self) {
  self->set_default_handler(caf::drop);
  return {[](int x) { return x; }};
}

bool is_ready(const std::future<int>& x) {
  return x.wait_for(0s) == std::future_status::ready;
}

int value_of(std::future<int>& x) {
  REQUIRE(x.wait_for(10s) == std::future_status::ready);
  return x.get();
}

} // namespace

TEST_CASE_METHOD(ReceiverFixture,
                 "a receiver has caught up when it has handled what it had",
                 "[door]") {
  tell(1);
  tell(2);
  auto first = caught_up();
  tell(3);
  auto second = caught_up();
  begun.get_future().wait();
  CHECK_FALSE(is_ready(first));
  go.set_value();
  CHECK(value_of(first) == 2);
  CHECK(value_of(second) == 3);
  auto third = caught_up();
  CHECK(value_of(third) == 3);
}

TEST_CASE_METHOD(ReceiverFixture,
                 "nobody waits for a receiver that ends, or has ended",
                 "[door]") {
  tell(-1);
  tell(2);
  auto first = caught_up();
  begun.get_future().wait();
  go.set_value();
  CHECK(value_of(first) == 1);
  auto second = caught_up();
  CHECK(value_of(second) == 1);
}

TEST_CASE_METHOD(ReceiverFixture,
                 "a receiver that is closed calls nobody who waits", "[door]") {
  tell(1);
  auto first = caught_up();
  begun.get_future().wait();
  receiver.close();
  go.set_value();
  // It was dropped.
  CHECK(first.wait_for(10s) == std::future_status::ready);
  CHECK_THROWS_AS(first.get(), std::future_error);
  auto second = caught_up();
  CHECK(is_ready(second));
}

TEST_CASE("an actor with an interface says whether it keeps up, too",
          "[door]") {
  caf::actor_system_config config;
  caf::actor_system system{config};
  auto actor = system.spawn(typed);
  {
    Receiver receiver{caf::actor_cast<caf::strong_actor_ptr>(actor)};
    auto caught_up = std::make_shared<std::promise<int>>();
    receiver.when_caught_up([caught_up] { caught_up->set_value(1); });
    auto future = caught_up->get_future();
    CHECK(value_of(future) == 1);
  }
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}
