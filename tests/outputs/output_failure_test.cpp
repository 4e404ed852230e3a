// What readers are told when outputs are damaged, missing or out of reach.

#include <filesystem>
#include <fstream>
#include <future>
#include <stop_token>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "tests/outputs/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// Changes a byte of a file.
void damage(const std::string& file, std::streamoff at) {
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekg(at);
  auto byte = static_cast<char>(stream.get() ^ 1);
  stream.seekp(at);
  stream.put(byte);
  REQUIRE(stream.good());
}

/// Of one output, directly and over a connection.
std::vector<FetchFailure> failures_of(const Serving& serving) {
  std::vector<FetchFailure> result;
  auto client = serving.client();
  for (const auto& source :
       {serving.direct(attempt_of(0)), serving.remote(attempt_of(0))})
    result.push_back(
        failure_of(read_all(client.read_partition({source}, 1), 1)));
  return result;
}

/// Reads until there is a failure, or the end; returns whether it was the end.
bool read_on(OutputReader& reader, std::string& into) {
  for (;;) {
    auto fetched = reader.next();
    if (std::holds_alternative<FetchFailure>(fetched))
      return false;
    if (std::holds_alternative<EndOfOutputs>(fetched))
      return true;
    auto bytes = std::get<OutputChunk>(fetched).bytes;
    into.append(bytes.data(), bytes.size());
  }
}

/// Reads a few bytes.
void read_some(OutputReader& reader, std::string& into) {
  auto fetched = reader.next();
  REQUIRE(std::holds_alternative<OutputChunk>(fetched));
  auto bytes = std::get<OutputChunk>(fetched).bytes;
  into.append(bytes.data(), bytes.size());
}

} // namespace

TEST_CASE("an output that is damaged or missing is never taken for right",
          "[failure]") {
  Serving serving;
  auto bytes = random_bytes(300'000);
  write_output(serving.server.directory, attempt_of(0),
               {"first", bytes, "last"});
  auto data = serving.server.directory + "/1-0-0.data";
  auto index = serving.server.directory + "/1-0-0.index";
  std::string expected;
  SECTION("a byte of the data") {
    damage(data, static_cast<std::streamoff>(GENERATE(5U, 150'000U, 300'004U)));
    expected = "not those that were written";
    // Another partition of the same output is right.
    auto client = serving.client();
    for (const auto& source :
         {serving.direct(attempt_of(0)), serving.remote(attempt_of(0))})
      CHECK(content_of(read_all(client.read_partition({source}, 2), 1)).front()
            == "last");
  }
  SECTION("a byte of the index") {
    damage(index, GENERATE(0, 9, 30, 45, 60, 90));
    expected = "index";
  }
  SECTION("the data end too early") {
    std::filesystem::resize_file(data, 299'999);
    expected = "bytes instead of";
  }
  SECTION("the index ends too early") {
    std::filesystem::resize_file(index, 50);
    expected = "the index is damaged";
  }
  SECTION("the index is another one's") {
    write_output(serving.server.directory, attempt_of(1), {"a", "b", "c"});
    std::filesystem::rename(serving.server.directory + "/1-1-0.index", index);
    expected = "stage 1 task 1";
  }
  SECTION("the data are missing") {
    std::filesystem::remove(data);
    expected = "cannot read the output";
  }
  SECTION("all of it is missing") {
    std::filesystem::remove(data);
    std::filesystem::remove(index);
    expected = "there is no output of stage 1 task 0 attempt 0";
  }
  SECTION("it has no such partition") {
    std::filesystem::remove(data);
    std::filesystem::remove(index);
    write_output(serving.server.directory, attempt_of(0), {"first"});
    expected = "has 1 partitions";
  }
  for (const auto& failure : failures_of(serving)) {
    CHECK_FALSE(failure.unreachable);
    CHECK(failure.attempt == attempt_of(0));
    CHECK(failure.server.port == serving.server.port);
    INFO(failure.text);
    CHECK(failure.text.find(expected) != std::string::npos);
  }
}

TEST_CASE("a failure names the output that failed, and stays", "[failure]") {
  Serving serving;
  for (int i = 0; i < 3; ++i)
    write_output(serving.server.directory, attempt_of(i), {"bytes"});
  std::filesystem::remove(serving.server.directory + "/1-1-0.index");
  auto client = serving.client();
  for (auto here : {true, false}) {
    std::vector<LocatedOutput> sources;
    for (int i = 0; i < 3; ++i)
      sources.push_back(here ? serving.direct(attempt_of(i))
                             : serving.remote(attempt_of(i)));
    auto reader = client.read_partition(sources, 0);
    std::string read;
    CHECK_FALSE(read_on(reader, read));
    CHECK(read == "bytes");
    auto again = reader.next();
    REQUIRE(std::holds_alternative<FetchFailure>(again));
    CHECK(std::get<FetchFailure>(again).attempt == attempt_of(1));
  }
}

TEST_CASE("a directory of the same name on another machine is another one",
          "[failure]") {
  Serving serving;
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  auto server = serving.server;
  server.id = std::string(32, '0');
  auto client = serving.client();
  CHECK(content_of(
            read_all(client.read_partition({{server, attempt_of(0)}}, 0), 1))
            .front()
        == "bytes");
  CHECK(serving.service->connections() == 1);
}

TEST_CASE("a server that is not there is unreachable within bounded time",
          "[failure]") {
  Serving serving;
  auto source = serving.remote(attempt_of(0));
  auto client = serving.client();
  auto begin = Clock::now();
  SECTION("nobody listens") {
    serving.service.reset();
    CHECK(failure_of(read_all(client.read_partition({source}, 0), 1))
              .unreachable);
  }
  SECTION("its name is unknown") {
    source.server.host = "no-such-host.invalid";
    CHECK(failure_of(read_all(client.read_partition({source}, 0), 1))
              .unreachable);
  }
  SECTION("somebody listens who says nothing") {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor silent{
        context, {boost::asio::ip::address_v4::loopback(), 0}};
    source.server.port = silent.local_endpoint().port();
    auto limits = impatient();
    limits.connect_timeout = 100ms;
    OutputClient hasty{words, serving.secret, limits};
    CHECK(
        failure_of(read_all(hasty.read_partition({source}, 0), 1)).unreachable);
  }
  CHECK(Clock::now() - begin < 20s);
}

TEST_CASE("a server that is stopped in the middle is unreachable",
          "[failure]") {
  Serving serving;
  auto bytes = random_bytes(40'000'000);
  write_output(serving.server.directory, attempt_of(0), {bytes});
  auto client = serving.client();
  auto reader = client.read_partition({serving.remote(attempt_of(0))}, 0);
  std::string read;
  read_some(reader, read);
  serving.service.reset();
  auto begin = Clock::now();
  CHECK_FALSE(read_on(reader, read));
  CHECK(Clock::now() - begin < 20s);
  auto failed = reader.next();
  REQUIRE(std::holds_alternative<FetchFailure>(failed));
  CHECK(std::get<FetchFailure>(failed).unreachable);
  CHECK(bytes.starts_with(read));
}

TEST_CASE("a reader goes on where it was when the server has started again",
          "[failure]") {
  Serving serving;
  auto bytes = random_bytes(40'000'000);
  write_output(serving.server.directory, attempt_of(0), {"in front", bytes});
  write_output(serving.server.directory, attempt_of(1), {"", "the next"});
  auto client = serving.client();
  auto reader = client.read_partition(
      {serving.remote(attempt_of(0)), serving.remote(attempt_of(1))}, 1);
  std::string read;
  for (int i = 0; i < 3; ++i) {
    read_some(reader, read);
    serving.restart();
  }
  CHECK(read_on(reader, read));
  CHECK((read == bytes + "the next"));
}

TEST_CASE("an output that was replaced meanwhile is not put together",
          "[failure]") {
  Serving serving;
  auto bytes = random_bytes(40'000'000);
  write_output(serving.server.directory, attempt_of(0), {bytes});
  auto client = serving.client();
  auto reader = client.read_partition({serving.remote(attempt_of(0))}, 0);
  std::string read;
  read_some(reader, read);
  std::filesystem::remove(serving.server.directory + "/1-0-0.data");
  std::filesystem::remove(serving.server.directory + "/1-0-0.index");
  write_output(serving.server.directory, attempt_of(0),
               {random_bytes(40'000'000, 2)});
  serving.restart();
  CHECK_FALSE(read_on(reader, read));
  auto failed = reader.next();
  REQUIRE(std::holds_alternative<FetchFailure>(failed));
  CHECK_FALSE(std::get<FetchFailure>(failed).unreachable);
}

TEST_CASE("a connection that was left while nobody used it costs no retry",
          "[failure]") {
  Serving serving;
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  auto limits = impatient();
  limits.retries = 0;
  OutputClient client{words, serving.secret, limits};
  for (int i = 0; i < 3; ++i) {
    CHECK(content_of(
              read_all(
                  client.read_partition({serving.remote(attempt_of(0))}, 0), 1))
              .front()
          == "bytes");
    serving.restart();
  }
}

TEST_CASE("a server that hangs is unreachable within bounded time",
          "[failure]") {
  TemporaryDirectory files;
  auto secret = new_secret();
  std::unique_ptr<OutputService> service;
  Child child{[&] {
    auto started = OutputService::start("127.0.0.1", 0, files.path("outputs"));
    if (!started)
      ::_exit(1);
    service = *std::move(started);
    auto served = service->serve(words, secret);
    write_output(served->directory, attempt_of(0), {random_bytes(40'000'000)});
    std::ofstream{files.path("port.new")} << served->port;
    std::filesystem::rename(files.path("port.new"), files.path("port"));
  }};
  OutputServer server;
  server.host = "127.0.0.1";
  server.port = static_cast<std::uint16_t>(std::stoi(files.read("port")));
  auto limits = impatient();
  limits.silence_max = 200ms;
  limits.connect_timeout = 200ms;
  OutputClient client{words, secret, limits};
  auto reader = client.read_partition({{server, attempt_of(0)}}, 0);
  std::string read;
  read_some(reader, read);
  child.stop();
  auto begin = Clock::now();
  CHECK_FALSE(read_on(reader, read));
  CHECK(Clock::now() - begin < 20s);
  auto failed = reader.next();
  REQUIRE(std::holds_alternative<FetchFailure>(failed));
  CHECK(std::get<FetchFailure>(failed).unreachable);
}

TEST_CASE("a reader that waits can be stopped", "[failure]") {
  Serving serving;
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor silent{
      context, {boost::asio::ip::address_v4::loopback(), 0}};
  auto source = serving.remote(attempt_of(0));
  source.server.port = silent.local_endpoint().port();
  OutputClient client{words, serving.secret};
  std::stop_source stop;
  auto reading = std::async(std::launch::async, [&] {
    return read_all(client.read_partition({source}, 0, stop.get_token()), 1);
  });
  // It has connected.
  auto peer = silent.accept();
  auto begin = Clock::now();
  stop.request_stop();
  CHECK(failure_of(reading.get()).text.find("stopped") != std::string::npos);
  CHECK(Clock::now() - begin < 4s);
}
