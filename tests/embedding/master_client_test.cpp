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

/// A master that another one lets not lead.
class Standby {
public:
  Standby() {
    MasterServices services;
    services.network = network_.get();
    services.election = network_->system().spawn(never_elected);
    master_ = network_->system().spawn(stoker::master, ClusterConfig{},
                                       std::move(services));
    auto port = network_->publish(master_, "127.0.0.1", 0);
    REQUIRE(port);
    address_ = {"127.0.0.1", *port};
  }

  ~Standby() {
    caf::anon_send_exit(master_, caf::exit_reason::user_shutdown);
  }

  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;

  [[nodiscard]] const MasterAddress& address() const {
    return address_;
  }

private:
  std::unique_ptr<ActorNetwork> network_ = ActorNetwork::without_proof();
  MasterActor master_;
  MasterAddress address_;
};

struct ClientFixture {
  Standby standby;
  std::unique_ptr<ActorNetwork> network = ActorNetwork::without_proof();
  std::vector<std::string> told;

  Result<MasterStateResponse> ask(std::vector<MasterAddress> masters) {
    MasterClient client{*network, std::move(masters), 500ms};
    client.on_wait = [this](const std::string& x) { told.push_back(x); };
    return client.ask<MasterStateResponse>(RequestMasterState{});
  }
};

} // namespace

TEST_CASE_METHOD(ClientFixture,
                 "a standby answers for a master that cannot be reached",
                 "[master-client]") {
  MasterAddress nobody;
  {
    RefusingMaster ended;
    nobody = ended.address();
  }
  auto state = ask({nobody, standby.address()});
  REQUIRE(state);
  CHECK(state->status == RecoveryState::STANDBY);
  CHECK(told.empty());
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
  auto why = to_string(refusing.address()) + ": " + another_build;
  CHECK(state.error().message == why);
  // While it may be replaced by one of our build.
  CHECK(told == std::vector{why});
  CHECK(CommandError{state.error()}.exit_code() == exit_no_master);
}

TEST_CASE_METHOD(ClientFixture, "a master that refuses us is told alone, too",
                 "[master-client]") {
  RefusingMaster refusing;
  auto state = ask({refusing.address()});
  REQUIRE_FALSE(state);
  CHECK(state.error().code == Errc::refused);
  CHECK(contains(state.error().message, another_build));
}
