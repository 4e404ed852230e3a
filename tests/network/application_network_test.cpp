// A driver, which its executors reach by the application's secret, whatever the
// driver itself shows to a master.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "network/actor_network.hpp"
#include "network/basp_broker.hpp"
#include "network/owner_credentials.hpp"
#include "tests/network/applications.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// Says who asks.
caf::behavior who_asks(caf::event_based_actor* self,
                       const ActorNetwork* network) {
  return {[=](caf::get_atom) {
    auto who = network->identity_of(self->current_sender()->node());
    return who ? to_string(*who) : std::string{"somebody"};
  }};
}

std::shared_ptr<Credentials> owner_of(const std::string& state, Role role) {
  auto files = owner_credentials(state, role);
  REQUIRE(files);
  auto result = Credentials::load(*files);
  REQUIRE(result);
  return *result;
}

/// A process with a driver: CAF knows a network by its process.
class Driver {
public:
  /// @param own What it shows to others; null: nobody proves anything to them.
  Driver(const std::shared_ptr<Credentials>& own,
         const ApplicationSecret& secret, const std::string& host) {
    int to_us[2];
    int to_it[2];
    REQUIRE(::pipe(to_us) == 0);
    REQUIRE(::pipe(to_it) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(to_it[1]);
      serve(own, secret, host, to_us[1], to_it[0]);
      ::_exit(0);
    }
    ::close(to_us[1]);
    ::close(to_it[0]);
    alive_ = to_it[1];
    REQUIRE(::read(to_us[0], &port_, sizeof port_) == sizeof port_);
    told_ = to_us[0];
  }

  ~Driver() {
    ::close(alive_);
    ::close(told_);
    ::waitpid(process_, nullptr, 0);
  }

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] MasterAddress address() const {
    return {"127.0.0.1", port_};
  }

  /// Waits until it has refused somebody.
  void await_refusal() const {
    char byte = 0;
    REQUIRE(::read(told_, &byte, 1) == 1);
  }

private:
  static void serve(const std::shared_ptr<Credentials>& own,
                    const ApplicationSecret& secret, const std::string& host,
                    int out, int in) {
    auto network = own ? std::make_unique<ActorNetwork>(own)
                       : ActorNetwork::without_proof();
    auto actor = network->system().spawn(who_asks, network.get());
    network->on_refusal([out] { static_cast<void>(::write(out, "r", 1)); });
    auto port = network->publish(actor, host, 0,
                                 Credentials::for_application(words, secret));
    auto said = port ? *port : std::uint16_t{0};
    static_cast<void>(::write(out, &said, sizeof said));
    char byte = 0;
    static_cast<void>(::read(in, &byte, 1));
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }

  pid_t process_ = 0;
  int alive_ = -1;
  int told_ = -1;
  std::uint16_t port_ = 0;
};

/// Who the driver thinks that this process is, or why it does not get in.
std::string answer_to(ActorNetwork& network, const Driver& driver) {
  auto actor = network.connect<caf::actor>(driver.address(), 5s);
  if (!actor)
    return actor.error().message;
  caf::scoped_actor self{network.system()};
  std::string result = "no answer";
  self->request(*actor, 5s, caf::get_atom::value)
      .receive([&](const std::string& x) { result = x; },
               [](const caf::error&) {});
  return result;
}

} // namespace

TEST_CASE("an executor with the application's secret reaches its driver",
          "[application]") {
  auto secret = new_secret();
  TemporaryDirectory directory;
  auto with_certificate = GENERATE(false, true);
  auto host = GENERATE(std::string{"127.0.0.1"}, std::string{"0.0.0.0"});
  Driver driver{with_certificate
                    ? owner_of(directory.path("state"), Role::operator_)
                    : nullptr,
                secret, host};
  REQUIRE(driver.address().port != 0);
  ActorNetwork executor{Credentials::for_application(words, secret)};
  CHECK(answer_to(executor, driver) == "executor app-20261121074600-0001");
}

TEST_CASE("a peer is reached again that was given up behind a connection that "
          "stands",
          "[application]") {
  auto secret = new_secret();
  Driver driver{nullptr, secret, "127.0.0.1"};
  ActorNetwork executor{Credentials::for_application(words, secret)};
  auto actor = executor.connect<caf::actor>(driver.address(), 5s);
  REQUIRE(actor);
  caf::scoped_actor self{executor.system()};
  self->monitor(*actor);
  // As CAF is told by a peer whose actor has ended.
  caf::anon_send(basp_broker(executor.system()), caf::delete_atom::value,
                 actor->node(), actor->id());
  auto gave_up = false;
  self->receive([&](const caf::down_msg&) { gave_up = true; },
                caf::after(5s) >> [] {});
  REQUIRE(gave_up);
  CHECK(answer_to(executor, driver) == "executor app-20261121074600-0001");
}

TEST_CASE(
    "who does not know the application's secret does not reach its driver",
    "[application]") {
  auto secret = new_secret();
  TemporaryDirectory directory;
  Driver driver{owner_of(directory.path("state"), Role::operator_), secret,
                "127.0.0.1"};
  REQUIRE(driver.address().port != 0);
  auto refused = [&](ActorNetwork& network, const std::string& why) {
    CHECK(answer_to(network, driver).find(why) != std::string::npos);
    driver.await_refusal();
  };
  SECTION("a wrong secret") {
    ActorNetwork network{Credentials::for_application(words, new_secret())};
    refused(network,
            "it does not know the secret of application " + words.value);
  }
  SECTION("another application's secret") {
    ActorNetwork network{Credentials::for_application(other_app, new_secret())};
    refused(network,
            "it does not know the secret of application " + other_app.value);
  }
  SECTION("another application with this one's secret") {
    ActorNetwork network{Credentials::for_application(other_app, secret)};
    refused(network,
            "it does not know the secret of application " + other_app.value);
  }
  SECTION("a certificate") {
    ActorNetwork network{owner_of(directory.path("state"), Role::operator_)};
    refused(network, "no TLS connection");
  }
  SECTION("nothing") {
    auto network = ActorNetwork::without_proof();
    refused(*network, "it closed the connection");
  }
}

TEST_CASE("an executor does not take a master for its driver",
          "[application]") {
  // A listener that shows a certificate, as a master does.
  TemporaryDirectory directory;
  auto secret = new_secret();
  auto node = owner_of(directory.path("state"), Role::node);
  ActorNetwork executor{Credentials::for_application(words, secret)};
  ActorNetwork master{node};
  auto actor = master.system().spawn(who_asks, &master);
  auto port = master.publish(actor, "127.0.0.1", 0);
  REQUIRE(port);
  auto refused = executor.connect<caf::actor>({"127.0.0.1", *port}, 5s);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("it does not know the secret")
        != std::string::npos);
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("a process may end while it connects", "[application]") {
  auto secret = new_secret();
  TemporaryDirectory directory;
  Driver driver{owner_of(directory.path("state"), Role::operator_), secret,
                "127.0.0.1"};
  auto credentials = Credentials::for_application(words, secret);
  // The end comes at another moment each time.
  for (int i = 0; i < 60; ++i) {
    auto network = std::make_unique<ActorNetwork>(credentials);
    auto begun = std::make_shared<std::promise<void>>();
    auto connects = begun->get_future();
    auto attempt = [&network = *network, to = driver.address(), begun] {
      begun->set_value();
      (void)network.connect<caf::actor>(to, 5s);
    };
    network->system().spawn<caf::detached>(attempt);
    connects.wait();
    auto until = std::chrono::steady_clock::now() + i * 500us;
    while (std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    network.reset();
  }
  SUCCEED("none was used that was gone");
}

TEST_CASE("no certificate makes an executor, which may do nothing else",
          "[application]") {
  CHECK(to_string(Role::executor) == "executor");
  for (auto role : {Role::user, Role::operator_, Role::node}) {
    CHECK_FALSE(includes(Role::executor, role));
    CHECK_FALSE(includes(role, Role::executor));
  }
}
