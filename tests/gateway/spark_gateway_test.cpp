// A new leader calls the addresses that its predecessor stored. Another user may listen there now.

#include "gateway/spark_gateway.hpp"

#include <unistd.h>

#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include "actors/feed.hpp"
#include "actors/master.hpp"
#include "gateway/user_name.hpp"
#include "messages/registry.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct Config : caf::actor_system_config {
  Config() {
    register_messages(*this);
  }
};

/// A port of 127.0.0.1 at which a driver or a worker was.
struct Place {
  boost::asio::io_context context;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor;

  void listen() {
    acceptor.emplace(context, boost::asio::ip::tcp::endpoint{
                                  boost::asio::ip::address_v4::loopback(), 0});
    acceptor->non_blocking(true);
  }

  [[nodiscard]] std::uint16_t port() const {
    return acceptor->local_endpoint().port();
  }

  bool is_called() {
    boost::system::error_code error;
    acceptor->accept(error);
    return !error;
  }
};

/// A driver and a worker of this user, as the last leader stored them.
std::shared_ptr<StoredState> stored_at(const Place& driver,
                                       const Place& worker) {
  auto result = std::make_shared<StoredState>();
  auto& app = result->applications.emplace_back();
  app.id = AppId{"app-1"};
  app.driver = EndpointId{"driver"};
  app.description.user = user_name(::geteuid());
  app.description.spark_driver
      = SparkDriver{"127.0.0.1", driver.port(), "3.5.9", {}};
  auto& stored = result->workers.emplace_back();
  stored.id = WorkerId{"worker-1"};
  stored.endpoint = EndpointId{"worker-1"};
  stored.host = "127.0.0.1";
  stored.port = worker.port();
  stored.only_spark = true;
  return result;
}

} // namespace

TEST_CASE("a new leader calls stored addresses when their processes are of the "
          "right user",
          "[gateway]") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  CapturedLog log;
  Config config;
  caf::actor_system system{config};
  auto feed = system.spawn(stoker::feed, std::size_t{100});
  auto master = system.spawn(stoker::master, ClusterConfig{}, MasterServices{});
  SparkGatewayConfig options;
  options.listen.port = 0;
  auto gateway = SparkGateway::start(system, master, feed, options);
  REQUIRE(gateway);
  Place driver;
  Place worker;
  auto is_foreign = GENERATE(true, false);
  if (is_foreign) {
    TemporaryDirectory own;
    Unprivileged nobody{own.path(".")};
    driver.listen();
    worker.listen();
  } else {
    driver.listen();
    worker.listen();
  }
  caf::anon_send(feed, BeginFeed{LeaderEpoch{7}, stored_at(driver, worker)});
  if (is_foreign) {
    for (const auto* line : {"[spark-driver-unreachable] application=app-1: ",
                             "[spark-worker-unreachable] worker=worker-1: "})
      CHECK(eventually(
          [&] { return log.text().find(line) != std::string::npos; }));
    CHECK(log.text().find("this master is for user root alone")
          != std::string::npos);
    CHECK_FALSE(driver.is_called());
    CHECK_FALSE(worker.is_called());
  } else {
    CHECK(eventually([&] { return driver.is_called(); }));
    CHECK(eventually([&] { return worker.is_called(); }));
  }
  gateway->reset();
  caf::anon_send_exit(master, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(feed, caf::exit_reason::user_shutdown);
}

TEST_CASE("a gateway tells its public host when it has one", "[gateway]") {
  Config config;
  caf::actor_system system{config};
  auto master = system.spawn(stoker::master, ClusterConfig{}, MasterServices{});
  SparkGatewayConfig options;
  options.listen = {"127.0.0.1", 0};
  for (const auto* host : {"", "node1"}) {
    options.public_host = host;
    auto gateway = SparkGateway::start(system, master, {}, options);
    REQUIRE(gateway);
    CHECK(gateway->get()->url().starts_with(*host ? "spark://node1:"
                                                  : "spark://127.0.0.1:"));
  }
  caf::anon_send_exit(master, caf::exit_reason::user_shutdown);
}
