// A shuffle service with real files, and executors that are sockets of the test.

#include "gateway/shuffle_service.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

#include "gateway/shuffle_files.hpp"
#include "gateway/shuffle_registry.hpp"
#include "spark/bytes.hpp"
#include "spark/frame.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/gateway/socket_of_nobody.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

std::string number(std::int64_t x) {
  std::string result;
  spark::put_big_endian(result, x);
  return result;
}

std::string small_number(std::int32_t x) {
  std::string result;
  spark::put_big_endian(result, x);
  return result;
}

std::string text(const std::string& x) {
  return small_number(static_cast<std::int32_t>(x.size())) + x;
}

void write_file(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream{path, std::ios::binary} << bytes;
}

struct ShuffleFixture {
  TemporaryDirectory directory;
  std::unique_ptr<ShuffleService> service = start();

  /// Of executor 7 of app-1: two directories, as blockmgr-UUID of Spark.
  ShuffleDirectories where{{path("app-1/a"), path("app-1/b")}, 64};

  ShuffleFixture() {
    for (const auto& x : where.directories)
      fs::create_directories(x);
  }

  std::unique_ptr<ShuffleService> start() {
    auto result = ShuffleService::start({{"127.0.0.1", 0}, path("")});
    REQUIRE(result);
    return *std::move(result);
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return directory.path(name);
  }

  /// The output of a map task, for as many reduce tasks as there are parts.
  void write_output(int shuffle, int map,
                    const std::vector<std::string>& parts) {
    auto name
        = "shuffle_" + std::to_string(shuffle) + '_' + std::to_string(map);
    std::string index = number(0);
    std::string data;
    for (const auto& part : parts) {
      data += part;
      index += number(static_cast<std::int64_t>(data.size()));
    }
    write_file(shuffle_file(where, name + "_0.index"), index);
    write_file(shuffle_file(where, name + "_0.data"), data);
  }

  static std::string registration(const ShuffleDirectories& x,
                                  const std::string& app = "app-1") {
    auto result
        = "\x02" + text(app) + text("7")
          + small_number(static_cast<std::int32_t>(x.directories.size()));
    for (const auto& one : x.directories)
      result += text(one);
    return result + small_number(x.subdirectories) + text("SortManager");
  }
};

/// An executor that is connected to it.
struct Executor : SocketClient {
  explicit Executor(const ShuffleService& service)
      : SocketClient(service.port()) {
  }

  /// The body of the answer; "failure: " and why there is none.
  std::string ask(const std::string& body) {
    std::string out;
    spark::append_frame(out, {spark::FrameType::rpc_request, 5, body});
    send(out);
    auto frame = receive_frame();
    std::string_view rest{frame};
    auto answer = spark::take_frame(rest);
    REQUIRE(answer);
    REQUIRE(*answer);
    CHECK((*answer)->request_id == 5);
    return ((*answer)->type == spark::FrameType::rpc_failure ? "failure: " : "")
           + std::string{(*answer)->body};
  }

  std::string receive_frame() {
    auto head = receive(8);
    REQUIRE(head.size() == 8);
    auto length = spark::ByteReader{head}.take<std::int64_t>();
    return head + receive(static_cast<std::size_t>(length) - 8);
  }

  /// Opens a stream of these blocks, by their names. Returns its id.
  std::int64_t open(const std::vector<std::string>& names,
                    const std::string& app = "app-1") {
    auto body = std::string(1, '\0') + text(app) + text("7")
                + small_number(static_cast<std::int32_t>(names.size()));
    for (const auto& name : names)
      body += text(name);
    auto answer = ask(body);
    INFO(answer);
    REQUIRE(answer.size() == 13);
    spark::ByteReader in{answer};
    CHECK(in.take<std::uint8_t>() == 3);
    auto id = in.take<std::int64_t>();
    CHECK(in.take<std::int32_t>() == static_cast<std::int32_t>(names.size()));
    return id;
  }

  /// The block of a chunk; "failure: " and why there is none.
  std::string chunk(std::int64_t stream, int index) {
    send(number(21) + '\0' + number(stream) + small_number(index));
    auto frame = receive_frame();
    REQUIRE(frame.size() >= 21);
    CHECK(frame.substr(9, 12) == number(stream) + small_number(index));
    return frame[8] == '\1' ? frame.substr(21) : "failure: " + frame.substr(25);
  }
};

} // namespace

TEST_CASE_METHOD(ShuffleFixture, "executors fetch what others have written",
                 "[gateway]") {
  write_output(0, 1, {"one", "", "three"});
  write_output(0, 2, {"uno", "due", "tre"});
  write_file(shuffle_file(where, "rdd_4_5"), "cached");
  Executor writer{*service};
  CHECK(writer.ask(registration(where)).empty());
  writer.close();
  Executor reader{*service};
  auto stream = reader.open({"shuffle_0_1_0", "shuffle_0_1_1",
                             "shuffle_0_2_1_3", "rdd_4_5", "shuffle_0_1_2"});
  CHECK(reader.chunk(stream, 0) == "one");
  CHECK(reader.chunk(stream, 1).empty());
  CHECK(reader.chunk(stream, 2) == "duetre");
  CHECK(reader.chunk(stream, 3) == "cached");
  CHECK(reader.chunk(stream, 4) == "three");
  // It ended with its last chunk.
  CHECK(reader.chunk(stream, 0)
        == "failure: there is no chunk 0 of a stream "
               + std::to_string(stream));
}

TEST_CASE_METHOD(ShuffleFixture,
                 "a service names the applications that it serves",
                 "[gateway]") {
  std::mutex mutex;
  std::vector<std::string> served;
  auto report = [&](const AppId& app) {
    std::lock_guard lock{mutex};
    served.push_back(app.value);
  };
  service->report_to(report);
  fs::create_directories(path("app-0"));
  Executor executor{*service};
  executor.ask(registration(where));
  // Where there is no directory, nothing is served.
  CHECK(executor.ask(registration({{path("app-3/a")}, 64}, "app-3"))
            .starts_with("failure"));
  std::lock_guard lock{mutex};
  CHECK(served == std::vector<std::string>{"app-1"});
  // The next service finds what the earlier one has kept.
  CHECK(ShuffleRegistry::applications_in(path(""))
        == std::vector{AppId{"app-1"}});
}

TEST_CASE_METHOD(ShuffleFixture,
                 "blocks of any size are sent, also beside the frame",
                 "[gateway]") {
  std::string large(20'000'000, 'x');
  large.back() = 'y';
  write_output(3, 1, {"a", large, "z"});
  Executor writer{*service};
  writer.ask(registration(where));
  Executor reader{*service};
  auto stream
      = reader.open({"shuffle_3_1_1", "shuffle_3_1_1", "shuffle_3_1_2"});
  CHECK(reader.chunk(stream, 0) == large);
  auto name = std::to_string(stream) + "_1";
  reader.send(number(13 + static_cast<std::int64_t>(name.size())) + '\6'
              + text(name));
  auto frame = reader.receive_frame();
  CHECK(frame.substr(8)
        == '\7' + text(name) + number(static_cast<std::int64_t>(large.size())));
  CHECK(reader.receive(large.size()) == large);
  CHECK(reader.chunk(stream, 2) == "z");
}

TEST_CASE_METHOD(ShuffleFixture,
                 "a service that is started again knows its executors",
                 "[gateway]") {
  write_output(0, 1, {"one"});
  Executor{*service}.ask(registration(where));
  service = start();
  Executor reader{*service};
  CHECK(reader.chunk(reader.open({"shuffle_0_1_0"}), 0) == "one");
  // They go with the directory of their application.
  fs::remove_all(path("app-1"));
  CHECK(
      reader.chunk(reader.open({"shuffle_0_1_0"}), 0).starts_with("failure: "));
  service = start();
  Executor other{*service};
  CHECK(other.ask('\x07' + text("app-1") + text("7") + small_number(0))
        == "failure: executor 7 of application app-1 has not said where it "
           "writes");
}

TEST_CASE_METHOD(ShuffleFixture, "files that are gone or damaged are told so",
                 "[gateway]") {
  write_output(0, 1, {"one", "two"});
  Executor executor{*service};
  executor.ask(registration(where));
  auto fails = [&](const std::string& block) {
    return executor.chunk(executor.open({block}), 0).starts_with("failure: ");
  };
  CHECK_FALSE(fails("shuffle_0_1_1"));
  CHECK(fails("shuffle_0_2_0"));
  CHECK(fails("shuffle_0_1_2"));
  CHECK(fails("shuffle_0_1_1_1"));
  CHECK(fails("shuffle_0_1_1_0"));
  CHECK(fails("rdd_1_1"));
  write_file(shuffle_file(where, "shuffle_0_1_0.data"), "on");
  CHECK(fails("shuffle_0_1_1"));
  // Nobody writes to these pipes.
  fs::create_directories(
      fs::path{shuffle_file(where, "shuffle_0_3_0.index")}.parent_path());
  REQUIRE(::mkfifo(shuffle_file(where, "shuffle_0_3_0.index").c_str(), 0600)
          == 0);
  CHECK(fails("shuffle_0_3_0"));
  write_file(shuffle_file(where, "shuffle_0_1_0.index"),
             number(5) + number(3) + number(-1));
  CHECK(fails("shuffle_0_1_0"));
  CHECK(fails("shuffle_0_1_1"));
}

TEST_CASE_METHOD(ShuffleFixture,
                 "an executor names its application's directories only",
                 "[gateway]") {
  fs::create_directories(path("app-2"));
  fs::create_symlink("/etc", path("app-1/link"));
  Executor executor{*service};
  auto is_refused = [&](const std::string& body) {
    return executor.ask(body).starts_with("failure: ");
  };
  CHECK(is_refused(registration({{"/etc"}, 64})));
  CHECK(is_refused(registration({{path("app-2")}, 64})));
  CHECK(is_refused(registration({{path("app-1/../app-2")}, 64})));
  CHECK(is_refused(registration({{path("app-1/link")}, 64})));
  CHECK(is_refused(registration({{path("app-1/nothing")}, 64})));
  CHECK(is_refused(registration({{}, 64})));
  CHECK(is_refused(registration({{path("app-1/a")}, 0})));
  CHECK(is_refused(registration({{path("app-1/a")}, -1})));
  CHECK(is_refused(registration(where, "../app-1")));
  CHECK(is_refused(registration(where, "")));
  CHECK_FALSE(is_refused(registration(where)));
}

TEST_CASE_METHOD(ShuffleFixture, "files are removed by their plain names",
                 "[gateway]") {
  write_file(shuffle_file(where, "rdd_1_2"), "x");
  write_file(path("app-1/kept"), "x");
  Executor executor{*service};
  executor.ask(registration(where));
  auto removed
      = executor.ask('\x07' + text("app-1") + text("7") + small_number(3)
                     + text("rdd_1_2") + text("rdd_1_3") + text("../../kept"));
  CHECK(removed == '\x08' + small_number(1));
  CHECK_FALSE(fs::exists(shuffle_file(where, "rdd_1_2")));
  CHECK(fs::exists(path("app-1/kept")));
  auto found
      = executor.ask('\x0A' + text("app-1") + small_number(1) + text("7"));
  CHECK(found.find(where.directories[1]) != std::string::npos);
}

TEST_CASE_METHOD(ShuffleFixture,
                 "what a shuffle service has no use for is told so",
                 "[gateway]") {
  Executor executor{*service};
  CHECK(executor.ask("\x0D").find("spark.shuffle.push.enabled")
        != std::string::npos);
  CHECK(executor.ask("\x09").starts_with("failure: a message about blocks"));
  CHECK(executor.chunk(99, 0).starts_with("failure: "));
  // Push of blocks, and no frame at all.
  executor.send(number(13) + '\x0A' + small_number(0));
  CHECK(executor.is_closed());
  Executor other{*service};
  other.send(number(4'000'000'000));
  CHECK(other.is_closed());
}

namespace {

/// A question for many blocks, which is larger than what a newcomer may send.
std::string large_question(const std::string& app) {
  constexpr int blocks = 10'000;
  auto body
      = std::string(1, '\0') + text(app) + text("7") + small_number(blocks);
  for (int i = 0; i < blocks; ++i)
    body += text("shuffle_0_1_0");
  return body;
}

/// A service to which all peers are executors of other machines.
struct FarFixture : ShuffleFixture {
  FarFixture() {
    write_output(0, 1, {"one"});
    Executor{*service}.ask(registration(where));
    service.reset();
    auto far
        = ShuffleService::start({{"127.0.0.1", 0}, path(""), [](const auto&) {
                                   return PeerTrust::newcomer;
                                 }});
    REQUIRE(far);
    service = *std::move(far);
  }
};

} // namespace

TEST_CASE_METHOD(FarFixture,
                 "a shuffle service takes a large question of another machine "
                 "when it names an executor",
                 "[gateway]") {
  Executor known{*service};
  auto answer = known.ask(large_question("app-1"));
  CHECK(answer.size() == 13);
  Executor unknown{*service};
  std::string frame;
  spark::append_frame(
      frame, {spark::FrameType::rpc_request, 5, large_question("app-2")});
  unknown.send(frame.substr(0, 100'000));
  CHECK(unknown.is_closed());
}

TEST_CASE_METHOD(FarFixture,
                 "a shuffle service keeps places of executors that ask for "
                 "blocks when strangers have all of theirs",
                 "[gateway]") {
  Executor known{*service};
  known.open({"shuffle_0_1_0"});
  std::vector<std::unique_ptr<Executor>> strangers;
  // More than one address gets with any number of open files.
  for (int i = 0; i < 129; ++i)
    strangers.push_back(std::make_unique<Executor>(*service));
  CHECK(strangers.back()->is_closed());
  CHECK(known.chunk(known.open({"shuffle_0_1_0"}), 0) == "one");
}

TEST_CASE_METHOD(ShuffleFixture,
                 "a shuffle service closes a connection of another user unread",
                 "[gateway]") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  SocketClient other{service->port(), socket_of_nobody()};
  CHECK(other.is_closed());
  CHECK(Executor{*service}.ask(registration(where)).empty());
}

TEST_CASE("the place of a file is that of Spark's DiskBlockManager",
          "[gateway]") {
  // As Spark's ExternalShuffleBlockResolver computes it: the hash of the name.
  ShuffleDirectories one{{"/a"}, 64};
  CHECK(shuffle_file(one, "shuffle_0_0_0.data") == "/a/0c/shuffle_0_0_0.data");
  CHECK(shuffle_file(one, "shuffle_0_0_0.index")
        == "/a/30/shuffle_0_0_0.index");
}
