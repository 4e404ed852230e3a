// Ports that other machines reach need consent, and default ports have a known holder.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/port_holder.hpp"
#include "tools/stoker/spark_options.hpp"

using namespace stoker;
using namespace stoker::test;
using boost::asio::ip::tcp;

TEST_CASE("a worker with a Spark needs consent when other machines reach it") {
  TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path("spark/bin"));
  std::filesystem::create_directories(directory.path("spark/jars"));
  std::ofstream{directory.path("spark/jars/spark-core_2.12-3.5.9.jar")};
  SparkOptions options;
  options.homes = {directory.path("spark")};
  CHECK_NOTHROW(options.check("127.0.0.1"));
  CHECK_THROWS_AS(options.check("10.0.0.1"), CommandError);
  CHECK_THROWS_AS(options.find("10.0.0.1"), CommandError);
  options.insecure = true;
  CHECK_NOTHROW(options.check("10.0.0.1"));
  CHECK(options.find("10.0.0.1").size() == 1);
}

TEST_CASE("a port is held by the user whose process listens there") {
  boost::asio::io_context context;
  std::optional<tcp::acceptor> acceptor;
  tcp::endpoint anywhere{boost::asio::ip::address_v4::loopback(), 0};
  acceptor.emplace(context, anywhere);
  auto port = acceptor->local_endpoint().port();
  CHECK(holder_of_port("127.0.0.1", port) == ::geteuid());
  CHECK(holder_of_port("0.0.0.0", port) == ::geteuid());
  acceptor.reset();
  CHECK_FALSE(holder_of_port("127.0.0.1", port));
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  TemporaryDirectory own;
  {
    Unprivileged nobody{own.path(".")};
    acceptor.emplace(context, anywhere);
  }
  auto holder = holder_of_port("127.0.0.1", acceptor->local_endpoint().port());
  CHECK(holder_text(holder).find("a process of user nobody") == 0);
}
