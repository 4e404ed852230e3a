// The service, over real sockets, and its readers.

#include "outputs/output_service.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "network/credentials.hpp"
#include "network/owner_credentials.hpp"
#include "outputs/application_outputs.hpp"
#include "outputs/client_connection.hpp"
#include "outputs/output_writer.hpp"
#include "tests/outputs/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;

namespace {

/// A connection that has proven the application's secret.
std::unique_ptr<ClientConnection> connect_to(const Serving& serving) {
  auto result = ClientConnection::open(
      serving.server, application_client_context(words, serving.secret), 5s,
      {});
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  return *std::move(result);
}

/// Whether the service closes a connection that proves nothing.
bool is_closed(tcp::socket& socket) {
  char byte = 0;
  boost::system::error_code error;
  socket.read_some(boost::asio::buffer(&byte, 1), error);
  return error == boost::asio::error::eof
         || error == boost::asio::error::connection_reset;
}

/// Bytes of this process that are in memory.
std::size_t resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  std::size_t all = 0;
  std::size_t resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

TEST_CASE("outputs are read directly and over a connection alike",
          "[service]") {
  Serving serving;
  std::vector<std::vector<std::string>> outputs;
  for (unsigned i = 0; i < 5; ++i) {
    outputs.push_back({random_bytes(300'000, i), "", random_bytes(i, i)});
    write_output(serving.server.directory, attempt_of(static_cast<int>(i)),
                 outputs.back());
  }
  auto client = serving.client();
  for (std::uint32_t partition = 0; partition < 3; ++partition) {
    std::vector<LocatedOutput> direct;
    std::vector<LocatedOutput> remote;
    std::vector<std::string> expected;
    for (int i = 0; i < 5; ++i) {
      direct.push_back(serving.direct(attempt_of(i)));
      remote.push_back(serving.remote(attempt_of(i)));
      expected.push_back(outputs[static_cast<std::size_t>(i)][partition]);
    }
    CHECK(content_of(read_all(client.read_partition(direct, partition), 5))
          == expected);
    CHECK(content_of(read_all(client.read_partition(remote, partition), 5))
          == expected);
  }
  // One connection did it all.
  CHECK(serving.service->connections() == 1);
}

TEST_CASE("all partitions of an output are read in order", "[service]") {
  Serving serving;
  std::vector<std::string> partitions;
  std::string all;
  for (unsigned i = 0; i < 5000; ++i) {
    partitions.push_back(random_bytes(i % 7 == 0 ? 0 : i % 91, i));
    all += partitions.back();
  }
  write_output(serving.server.directory, attempt_of(0), partitions);
  auto client = serving.client();
  for (const auto& source :
       {serving.direct(attempt_of(0)), serving.remote(attempt_of(0))}) {
    CHECK(
        content_of(
            read_all(client.read_range({source}, {0, PartitionRange::all}), 1))
            .front()
        == all);
    auto some = client.fetch(source, {4000, 2}, 1000);
    REQUIRE(std::holds_alternative<std::string>(some));
    CHECK(std::get<std::string>(some) == partitions[4000] + partitions[4001]);
    auto too_large
        = client.fetch(source, {0, PartitionRange::all}, all.size() - 1);
    REQUIRE(std::holds_alternative<FetchFailure>(too_large));
    CHECK_FALSE(std::get<FetchFailure>(too_large).unreachable);
  }
}

TEST_CASE("a partition of more outputs than a request can name is read",
          "[service]") {
  Serving serving;
  constexpr int outputs = 2100;
  std::vector<LocatedOutput> sources;
  std::vector<std::string> expected;
  for (int i = 0; i < outputs; ++i) {
    expected.push_back(std::to_string(i));
    write_output(serving.server.directory, attempt_of(i),
                 {"x", expected.back()});
    sources.push_back(serving.remote(attempt_of(i)));
  }
  CHECK(
      content_of(read_all(serving.client().read_partition(sources, 1), outputs))
      == expected);
}

TEST_CASE("a hundred megabytes arrive as they were written", "[service]") {
  Serving serving;
  auto bytes = random_bytes(100'000'000);
  write_output(serving.server.directory, attempt_of(0), {"in front", bytes});
  auto read = content_of(read_all(
      serving.client().read_partition({serving.remote(attempt_of(0))}, 1), 1));
  CHECK((read.front() == bytes));
}

TEST_CASE("outputs of several services are read in the order that is wanted",
          "[service]") {
  std::vector<std::unique_ptr<Serving>> all;
  std::vector<LocatedOutput> sources;
  std::vector<std::string> expected;
  auto secret = new_secret();
  for (int i = 0; i < 6; ++i) {
    all.push_back(std::make_unique<Serving>());
    all.back()->secret = secret;
    REQUIRE(all.back()->service->serve(words, secret));
  }
  for (int task = 0; task < 60; ++task) {
    auto& serving = *all[static_cast<std::size_t>(task * 7 % 6)];
    expected.push_back(random_bytes(50'000, static_cast<unsigned>(task)));
    write_output(serving.server.directory, attempt_of(task), {expected.back()});
    // Some of them are on this machine.
    sources.push_back(task % 5 == 0 ? serving.direct(attempt_of(task))
                                    : serving.remote(attempt_of(task)));
  }
  OutputClient client{words, secret, impatient()};
  CHECK(content_of(read_all(client.read_partition(sources, 0), sources.size()))
        == expected);
}

TEST_CASE("who does not know the application's secret gets nothing",
          "[service]") {
  Serving serving;
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  auto other_secret = new_secret();
  REQUIRE(serving.service->serve(other_app, other_secret));
  auto read = [&](const AppId& app, const ApplicationSecret& secret) {
    OutputClient client{app, secret, impatient()};
    return read_all(client.read_partition({serving.remote(attempt_of(0))}, 0),
                    1);
  };
  SECTION("with a wrong secret") {
    CHECK(failure_of(read(words, new_secret())).unreachable);
  }
  SECTION("as an application that is not served") {
    CHECK(failure_of(read(AppId{"app-3"}, serving.secret)).unreachable);
  }
  SECTION("as another application, which has no such output") {
    auto failure = failure_of(read(other_app, other_secret));
    CHECK_FALSE(failure.unreachable);
    CHECK(failure.text.find("there is no output") != std::string::npos);
  }
  SECTION("with a certificate of the cluster") {
    auto files
        = owner_credentials(serving.files.path("state"), Role::operator_);
    REQUIRE(files);
    auto credentials = Credentials::load(*files);
    REQUIRE(credentials);
    CHECK_FALSE(ClientConnection::open(serving.server,
                                       (*credentials)->context(), 5s, {}));
  }
  CHECK(content_of(read(words, serving.secret)).front() == "bytes");
}

TEST_CASE("a directory is open to its owner alone", "[service]") {
  Serving serving;
  CHECK(mode_of(serving.files.path("outputs")) == 0700);
  CHECK(mode_of(serving.server.directory) == 0700);
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  for (const auto& x :
       std::filesystem::directory_iterator{serving.server.directory})
    CHECK(mode_of(x.path()) == 0600);
}

TEST_CASE("an id that would leave the data directory is not served",
          "[service]") {
  Serving serving;
  for (const auto* id : {"", "..", "../x", ".hidden", "a/b"})
    CHECK(serving.service->serve(AppId{id}, new_secret()).code()
          == Errc::invalid_request);
  serving.service->stop_serving(AppId{".."});
  CHECK(std::filesystem::exists(serving.server.directory));
}

TEST_CASE(
    "when an application has ended nobody gets anything, and all is removed",
    "[service]") {
  Serving serving;
  for (int i = 0; i < 200; ++i)
    write_output(serving.server.directory, attempt_of(i), {"bytes"});
  auto client = serving.client();
  auto source = serving.remote(attempt_of(0));
  CHECK(content_of(read_all(client.read_partition({source}, 0), 1)).front()
        == "bytes");
  serving.service->stop_serving(words);
  CHECK(
      failure_of(read_all(client.read_partition({source}, 0), 1)).unreachable);
  CHECK(eventually([&] { return serving.service->connections() == 0; }));
  CHECK(eventually(
      [&] { return files_in(serving.files.path("outputs")).empty(); }));
  // It may come again, and has nothing then.
  REQUIRE(serving.service->serve(words, serving.secret));
  CHECK(serving.service->used(words) == 0);
}

TEST_CASE("the outputs of a stage can be removed", "[service]") {
  Serving serving;
  write_output(serving.server.directory, attempt_of(0, 1), {"one"});
  write_output(serving.server.directory, attempt_of(0, 2), {"two"});
  auto client = serving.client();
  auto source = serving.remote(attempt_of(0, 1));
  CHECK(content_of(read_all(client.read_partition({source}, 0), 1)).front()
        == "one");
  serving.service->remove_stage(words, StageId{1});
  CHECK(eventually([&] {
    return files_in(serving.server.directory)
           == std::vector<std::string>{"2-0-0.data", "2-0-0.index"};
  }));
  // Nor does the service remember them.
  CHECK(eventually([&] {
    auto read = read_all(client.read_partition({source}, 0), 1);
    return std::holds_alternative<FetchFailure>(read)
           && !std::get<FetchFailure>(read).unreachable;
  }));
}

TEST_CASE("a service that starts again goes on, or removes what nobody knows",
          "[service]") {
  Serving serving;
  auto secret = new_secret();
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  auto orphan = serving.service->serve(other_app, secret);
  REQUIRE(orphan);
  write_output(orphan->directory, attempt_of(0), {"bytes"});
  auto before = serving.server;
  serving.restart();
  CHECK(serving.service->found() == std::vector<AppId>{words, other_app});
  CHECK(serving.server.port == before.port);
  CHECK(serving.server.id == before.id);
  auto client = serving.client();
  CHECK(content_of(
            read_all(client.read_partition({serving.remote(attempt_of(0))}, 0),
                     1))
            .front()
        == "bytes");
  serving.service->stop_serving(other_app);
  CHECK(eventually([&] {
    return files_in(serving.files.path("outputs"))
           == std::vector<std::string>{words.value};
  }));
}

TEST_CASE(
    "what a service did not remove in time is removed when it starts again",
    "[service]") {
  TemporaryDirectory files;
  std::filesystem::create_directories(files.path("outputs/.removed-1-2-3"));
  std::ofstream{files.path("outputs/.removed-1-2-3/1-0-0.data")} << "bytes";
  auto service = OutputService::start("127.0.0.1", 0, files.path("outputs"));
  REQUIRE(service);
  CHECK((*service)->found().empty());
  CHECK(eventually([&] { return files_in(files.path("outputs")).empty(); }));
}

TEST_CASE(
    "what a killed executor has committed is served, and nothing else stays",
    "[service]") {
  TemporaryDirectory files;
  auto directory = files.path("outputs/" + words.value);
  {
    // Threads of a service would be a danger to the child.
    auto outputs = ApplicationOutputs::open(files.path("outputs"), words,
                                            ReservationTable::unlimited);
    REQUIRE(outputs);
    std::optional<OutputWriter> writer;
    Child child{[&] {
      write_output(directory, attempt_of(0), {"bytes"}, 7);
      if (auto x = OutputWriter::open(directory, attempt_of(1), 7, 1))
        writer.emplace(*std::move(x));
      (void)writer->append(0, random_bytes(1'000'000));
    }};
    child.kill();
  }
  auto service = OutputService::start("127.0.0.1", 0, files.path("outputs"));
  REQUIRE(service);
  auto secret = new_secret();
  auto server = (*service)->serve(words, secret);
  REQUIRE(server);
  CHECK((*service)->used(words) > 1'000'000);
  (*service)->writer_ended(words, 7);
  CHECK(eventually([&] { return (*service)->used(words) < 200; }));
  CHECK(files_in(directory)
        == std::vector<std::string>{"1-0-0.data", "1-0-0.index"});
  OutputClient client{words, secret, impatient()};
  CHECK(content_of(read_all(client.read_partition(
                                {{from_afar(*server), attempt_of(0)}}, 0),
                            1))
            .front()
        == "bytes");
}

TEST_CASE("a port that somebody has is a clear error", "[service]") {
  Serving serving;
  TemporaryDirectory files;
  auto other
      = OutputService::start("127.0.0.1", serving.server.port, files.path("x"));
  REQUIRE_FALSE(other);
  CHECK(other.code() == Errc::in_use);
}

TEST_CASE("connections that prove nothing do not keep others out", "[limits]") {
  OutputLimits limits;
  limits.handshakes_max = 16;
  Serving serving{limits};
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  boost::asio::io_context context;
  tcp::endpoint to{boost::asio::ip::address_v4::loopback(),
                   serving.server.port};
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 500; ++i) {
    silent.emplace_back(context);
    silent.back().connect(to);
  }
  auto client = serving.client();
  CHECK(content_of(
            read_all(client.read_partition({serving.remote(attempt_of(0))}, 0),
                     1))
            .front()
        == "bytes");
  CHECK(is_closed(silent.front()));
  CHECK(eventually([&] { return serving.service->connections() <= 17; }));
}

TEST_CASE("idle connections of an application give way to its next one",
          "[limits]") {
  OutputLimits limits;
  limits.connections_per_application = 20;
  Serving serving{limits};
  write_output(serving.server.directory, attempt_of(0), {"bytes"});
  std::vector<std::unique_ptr<ClientConnection>> idle;
  for (int i = 0; i < 100; ++i)
    idle.push_back(connect_to(serving));
  auto client = serving.client();
  CHECK(content_of(
            read_all(client.read_partition({serving.remote(attempt_of(0))}, 0),
                     1))
            .front()
        == "bytes");
  CHECK(eventually([&] { return serving.service->connections() <= 20; }));
}

TEST_CASE("a client that says nothing, or half of something, is closed",
          "[limits]") {
  OutputLimits limits;
  limits.handshake_timeout = 100ms;
  limits.idle_timeout = 100ms;
  Serving serving{limits};
  boost::asio::io_context context;
  tcp::socket silent{context};
  silent.connect(
      {boost::asio::ip::address_v4::loopback(), serving.server.port});
  CHECK(is_closed(silent));
  auto idle = connect_to(serving);
  char byte = 0;
  CHECK_FALSE(idle->read({&byte, 1}, 10s, {}));
  auto half = connect_to(serving);
  std::vector<OutputRequest> request(2);
  auto bytes = to_bytes(request);
  REQUIRE(half->send(std::string_view{bytes}.substr(0, 20), 5s, {}));
  CHECK_FALSE(half->read({&byte, 1}, 10s, {}));
  CHECK(eventually([&] { return serving.service->connections() == 0; }));
}

TEST_CASE("what is no request ends the connection", "[limits]") {
  Serving serving;
  auto wrong
      = GENERATE(std::string(12, 'x'), std::string{"GET / HTTP/1.1\r\n\r\n"},
                 std::string{"stoq\x01\0\0\0\xFF\xFF\xFF\xFF", 12});
  auto connection = connect_to(serving);
  REQUIRE(connection->send(wrong, 5s, {}));
  char byte = 0;
  CHECK_FALSE(connection->read({&byte, 1}, 10s, {}));
  // TLS is not spoken at all.
  boost::asio::io_context context;
  tcp::socket plain{context};
  plain.connect({boost::asio::ip::address_v4::loopback(), serving.server.port});
  boost::asio::write(plain, boost::asio::buffer(wrong));
  while (!is_closed(plain)) {
  }
}

TEST_CASE("readers that do not read take little memory, and no time of others",
          "[limits]") {
  Serving serving;
  write_output(serving.server.directory, attempt_of(0),
               {random_bytes(64'000'000)});
  write_output(serving.server.directory, attempt_of(1), {"bytes"});
  auto before = resident_bytes();
  std::vector<OutputRequest> request{{attempt_of(0), {0, 1}, 0}};
  std::vector<std::unique_ptr<ClientConnection>> slow;
  for (int i = 0; i < 30; ++i) {
    slow.push_back(connect_to(serving));
    REQUIRE(slow.back()->send(to_bytes(request), 5s, {}));
  }
  auto client = serving.client();
  CHECK(content_of(
            read_all(client.read_partition({serving.remote(attempt_of(1))}, 0),
                     1))
            .front()
        == "bytes");
#ifndef STOKER_SANITIZED
  // A buffer of 128 KiB, TLS's own ones on both sides, and what malloc keeps.
  CHECK(resident_bytes() < before + 30 * std::size_t{512} * 1024);
#else
  CHECK(before > 0);
#endif
  // They get it when they want it.
  std::string answer(answer_header_bytes, '\0');
  REQUIRE(slow.back()->read_all(answer, 5s, {}));
  auto header = parse_answer_header(answer);
  REQUIRE(header);
  CHECK(header->bytes == 64'000'000);
}
