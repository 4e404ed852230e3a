// Who is asked, and what is said when nobody can be: embedding/master_client.hpp.

#include "embedding/master_client.hpp"

#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <caf/send.hpp>

#include "actors/master.hpp"
#include "network/greeting.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/never_elected.hpp"
#include "tools/stoker/command_error.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

const std::string another_build
    = "the master is another build of Stoker 0.2.0, whose messages differ: "
      "install the same build on both";

/// A master that lets nobody in, and says why.
class RefusingMaster {
public:
  RefusingMaster() {
    accept();
    thread_ = std::thread{[this] { context_.run(); }};
  }

  ~RefusingMaster() {
    context_.stop();
    thread_.join();
  }

  RefusingMaster(const RefusingMaster&) = delete;
  RefusingMaster& operator=(const RefusingMaster&) = delete;

  [[nodiscard]] MasterAddress address() const {
    return {"127.0.0.1", acceptor_.local_endpoint().port()};
  }

private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket peer) {
      if (error)
        return;
      std::string greeting;
      asio::read_until(peer, asio::dynamic_buffer(greeting), '\n', error);
      asio::write(peer, asio::buffer(refusal_line(another_build)), error);
      accept();
    });
  }

  asio::io_context context_;
  tcp::acceptor acceptor_{context_,
                          tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

/// A master with a network of its own, which lets others in.
class PublishedMaster {
public:
  PublishedMaster(const PublishedMaster&) = delete;
  PublishedMaster& operator=(const PublishedMaster&) = delete;

  [[nodiscard]] const MasterAddress& address() const {
    return address_;
  }

protected:
  PublishedMaster() = default;
  ~PublishedMaster() {
    caf::anon_send_exit(master_, caf::exit_reason::user_shutdown);
  }

  void publish(MasterActor master) {
    master_ = std::move(master);
    auto port = network_->publish(master_, "127.0.0.1", 0);
    REQUIRE(port);
    address_ = {"127.0.0.1", *port};
  }

  std::unique_ptr<ActorNetwork> network_ = ActorNetwork::without_proof();

private:
  MasterActor master_;
  MasterAddress address_;
};

/// A master that another one lets not lead.
class Standby : public PublishedMaster {
public:
  Standby() {
    MasterServices services;
    services.network = network_.get();
    services.election = network_->system().spawn(never_elected);
    publish(network_->system().spawn(stoker::master, ClusterConfig{},
                                     std::move(services)));
  }
};

/// A host that takes connections, and says nothing: as a process that was stopped.
class SilentHost {
public:
  [[nodiscard]] MasterAddress address() const {
    return {"127.0.0.1", acceptor_.local_endpoint().port()};
  }

private:
  asio::io_context context_;
  tcp::acceptor acceptor_{context_,
                          tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
};

/// A master that lets us in, and hangs; or one that leads, and answers when it is asked to.
class LettingMaster : public PublishedMaster {
public:
  explicit LettingMaster(bool hangs) {
    // Of all that a master is asked, what these tests ask.
    auto some = network_->system().spawn([hangs](caf::event_based_actor* self)
                                             -> caf::behavior {
      using Open = std::vector<caf::typed_response_promise<EndsResponse>>;
      auto open = std::make_shared<Open>();
      return {
          [=](const RequestMasterState&) -> caf::result<MasterStateResponse> {
            if (hangs)
              return self->make_response_promise<MasterStateResponse>();
            MasterStateResponse result;
            result.status = RecoveryState::ALIVE;
            return result;
          },
          [=](const RequestEnds& x) -> caf::result<EndsResponse> {
            auto promise = self->make_response_promise<EndsResponse>();
            if (hangs)
              return promise;
            open->push_back(promise);
            self->delayed_send(self, std::chrono::milliseconds{x.wait_ms},
                               caf::ok_atom::value);
            return promise;
          },
          [=](caf::ok_atom) {
            for (auto& x : std::exchange(*open, {}))
              x.deliver(EndsResponse{});
          },
      };
    });
    publish(caf::actor_cast<MasterActor>(some));
  }
};

/// A standby that is asked for the state some times before it leads.
class TakingOver : public PublishedMaster {
public:
  TakingOver() {
    auto some = network_->system().spawn(
        [](caf::event_based_actor*) -> caf::behavior {
          return {[left = 3](const RequestMasterState&) mutable {
            MasterStateResponse result;
            if (--left < 0)
              result.status = RecoveryState::ALIVE;
            return result;
          }};
        });
    publish(caf::actor_cast<MasterActor>(some));
  }
};

/// Who waits until a deadline, and would look for a master for much longer.
struct HurriedFixture {
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<ActorNetwork> network = ActorNetwork::without_proof();
  Clock::time_point begun = Clock::now();

  MasterClient client(std::vector<MasterAddress> masters,
                      std::chrono::milliseconds time) {
    MasterClient result{*network, std::move(masters), 60s};
    begun = Clock::now();
    result.deadline = begun + time;
    return result;
  }

  [[nodiscard]] Clock::duration took() const {
    return Clock::now() - begun;
  }
};

/// As long as it may.
RequestEnds patient_question() {
  RequestEnds result;
  result.wait_ms = longest_following_ms;
  return result;
}

struct ClientFixture {
  Standby standby;
  std::unique_ptr<ActorNetwork> network = ActorNetwork::without_proof();
  std::vector<std::string> told;

  MasterClient client(std::vector<MasterAddress> masters,
                      std::chrono::milliseconds patience) {
    MasterClient result{*network, std::move(masters), patience};
    result.on_wait = [this](const std::string& x) { told.push_back(x); };
    return result;
  }

  Result<MasterStateResponse> ask(std::vector<MasterAddress> masters,
                                  std::chrono::milliseconds patience = 500ms) {
    return client(std::move(masters), patience)
        .ask<MasterStateResponse>(RequestMasterState{});
  }

  Result<MasterStateResponse> ask_leader(std::vector<MasterAddress> masters,
                                         std::chrono::milliseconds patience
                                         = 500ms) {
    return client(std::move(masters), patience)
        .ask_leader(RequestMasterState{});
  }

  static MasterAddress nobody() {
    RefusingMaster ended;
    return ended.address();
  }
};

const std::string stands_by
    = "the master is STANDBY: another one leads, or none";

} // namespace

TEST_CASE_METHOD(ClientFixture,
                 "a standby answers for a master that cannot be reached",
                 "[master-client]") {
  auto state = ask({nobody(), standby.address()});
  REQUIRE(state);
  CHECK(state->status == RecoveryState::STANDBY);
  // While one may take over.
  REQUIRE(told.size() == 1);
  CHECK(contains(told[0], stands_by));
}

TEST_CASE_METHOD(ClientFixture, "a standby that is asked alone answers at once",
                 "[master-client]") {
  auto state = ask({standby.address()}, 60s);
  REQUIRE(state);
  CHECK(state->status == RecoveryState::STANDBY);
  CHECK(told.empty());
}

TEST_CASE_METHOD(ClientFixture, "who asks for the state waits for a takeover",
                 "[master-client]") {
  TakingOver next;
  auto state = ask({nobody(), standby.address(), next.address()}, 60s);
  REQUIRE(state);
  CHECK(state->status == RecoveryState::ALIVE);
}

TEST_CASE_METHOD(ClientFixture, "what is asked of a leader no standby answers",
                 "[master-client]") {
  auto none = ask_leader({standby.address()});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == stands_by);
  CHECK(CommandError{none.error()}.exit_code() == exit_no_master);
  TakingOver next;
  auto state = ask_leader({next.address()}, 60s);
  REQUIRE(state);
  CHECK(state->status == RecoveryState::ALIVE);
}

TEST_CASE_METHOD(ClientFixture,
                 "a standby does not hide that another master refuses us",
                 "[master-client]") {
  RefusingMaster refusing;
  std::vector masters{refusing.address(), standby.address()};
  if (GENERATE(false, true))
    std::swap(masters[0], masters[1]);
  auto state = ask(masters);
  REQUIRE_FALSE(state);
  auto why
      = to_string(refusing.address()) + ": " + another_build + "; " + stands_by;
  CHECK(state.error().message == why);
  // While it may be replaced by one of our build.
  CHECK(told == std::vector{why});
  CHECK(CommandError{state.error()}.exit_code() == exit_no_master);
}

TEST_CASE_METHOD(ClientFixture, "a refusal is told before what a standby says",
                 "[master-client]") {
  RefusingMaster refusing;
  std::vector masters{refusing.address(), standby.address()};
  if (GENERATE(false, true))
    std::swap(masters[0], masters[1]);
  MasterClient client{*network, masters, 500ms};
  auto queues = client.ask<QueuesResponse>(RequestQueues{});
  REQUIRE_FALSE(queues);
  CHECK(queues.error().message
        == to_string(refusing.address()) + ": " + another_build + "; "
               + stands_by);
}

TEST_CASE_METHOD(ClientFixture,
                 "a refusal is told before a master that cannot be reached",
                 "[master-client]") {
  RefusingMaster refusing;
  auto dead = nobody();
  std::vector masters{refusing.address(), dead};
  if (GENERATE(false, true))
    std::swap(masters[0], masters[1]);
  MasterClient client{*network, masters, 300ms};
  auto queues = client.ask<QueuesResponse>(RequestQueues{});
  REQUIRE_FALSE(queues);
  CHECK(queues.error().message
        == to_string(refusing.address()) + ": " + another_build + "; "
               + to_string(dead) + ": Connection refused");
}

TEST_CASE_METHOD(ClientFixture, "a master that refuses us is told alone, too",
                 "[master-client]") {
  RefusingMaster refusing;
  auto state = ask({refusing.address()});
  REQUIRE_FALSE(state);
  CHECK(state.error().code == Errc::refused);
  CHECK(contains(state.error().message, another_build));
}

TEST_CASE_METHOD(ClientFixture,
                 "a client that needs a listener asks once when no process "
                 "listens at its only master's address",
                 "[master-client]") {
  auto asks = client({nobody()}, 60s);
  asks.needs_listener = true;
  auto state = asks.ask<MasterStateResponse>(RequestMasterState{});
  REQUIRE_FALSE(state);
  CHECK(state.error().code == Errc::no_listener);
  CHECK(told.empty());
}

TEST_CASE_METHOD(ClientFixture,
                 "a client that needs a listener tries again when there are "
                 "several masters",
                 "[master-client]") {
  auto asks = client({nobody(), nobody()}, 300ms);
  asks.needs_listener = true;
  CHECK_FALSE(asks.ask<MasterStateResponse>(RequestMasterState{}));
  CHECK(told.size() == 1);
}

TEST_CASE_METHOD(ClientFixture,
                 "a client that needs a listener looks for a master that was "
                 "there before",
                 "[master-client]") {
  auto next = std::make_unique<TakingOver>();
  auto asks = client({next->address()}, 300ms);
  asks.needs_listener = true;
  REQUIRE(asks.ask<MasterStateResponse>(RequestMasterState{}));
  next.reset();
  CHECK_FALSE(asks.ask<MasterStateResponse>(RequestMasterState{}));
  CHECK(told.size() == 1);
}

TEST_CASE_METHOD(HurriedFixture,
                 "masters that say nothing are left when the deadline comes",
                 "[master-client]") {
  SilentHost one;
  SilentHost other;
  auto asks = client({one.address(), other.address()}, 500ms);
  auto state = asks.ask<MasterStateResponse>(RequestMasterState{});
  CHECK(took() >= 500ms);
  CHECK(took() < 1500ms);
  CHECK(state.code() == Errc::not_alive);
}

TEST_CASE_METHOD(HurriedFixture,
                 "a master that lets us in and hangs is left when the deadline "
                 "comes",
                 "[master-client]") {
  LettingMaster hanging{true};
  SilentHost other;
  auto asks = client({hanging.address(), other.address()}, 500ms);
  SECTION("it is to answer at once") {
    CHECK_FALSE(asks.ask<MasterStateResponse>(RequestMasterState{}));
  }
  SECTION("its answer may wait") {
    CHECK_FALSE(asks.ask<EndsResponse>(patient_question()));
  }
  CHECK(took() >= 500ms);
  CHECK(took() < 1500ms);
}

TEST_CASE_METHOD(HurriedFixture,
                 "a master that says nothing leaves time before the deadline "
                 "for the next one",
                 "[master-client]") {
  SilentHost silent;
  LettingMaster leader{false};
  auto asks = client({silent.address(), leader.address()}, 2s);
  auto state = asks.ask<MasterStateResponse>(RequestMasterState{});
  CHECK(took() < 2s);
  REQUIRE(state);
  CHECK(state->status == RecoveryState::ALIVE);
}

TEST_CASE_METHOD(HurriedFixture,
                 "an answer that waits until the deadline is taken",
                 "[master-client]") {
  LettingMaster leader{false};
  std::vector masters{leader.address()};
  SilentHost other;
  if (GENERATE(false, true))
    masters.push_back(other.address());
  auto asks = client(masters, 500ms);
  CHECK(asks.ask<EndsResponse>(patient_question()));
  CHECK(took() >= 500ms);
}

TEST_CASE_METHOD(HurriedFixture,
                 "a master that answers is asked for more after the deadline",
                 "[master-client]") {
  LettingMaster leader{false};
  auto asks = client({leader.address()}, 0ms);
  while (took() < 600ms)
    REQUIRE(asks.ask<MasterStateResponse>(RequestMasterState{}));
}
