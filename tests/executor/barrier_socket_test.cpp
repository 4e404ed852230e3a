// What programs of barrier tasks are told by their socket, whatever they say.

#include "executor/barrier_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "executor/barrier_request.hpp"
#include "executor/barrier_tasks.hpp"
#include "process/unique_fd.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::test;

namespace {

TaskAttempt socket_task(int number) {
  return {StageId{3}, number, 0};
}

/// -1 when descriptors are short.
int null_descriptor() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// A stage of two tasks: the driver answers when both have come.
struct TwoTasks {
  TwoTasks() {
    auto hosts = std::make_shared<const std::vector<std::string>>(
        std::vector<std::string>{"a", "b"});
    for (auto task : {0, 1}) {
      tasks.begin(socket_task(task), hosts, 0);
      auto path = socket.open(socket_task(task));
      REQUIRE(path);
      paths.push_back(*path);
    }
  }

  ~TwoTasks() {
    tasks.end_all();
  }

  void arrive(const BarrierArrived& x) {
    if (x.arrivals.size() < 2)
      return;
    auto passed = std::make_shared<BarrierPassed>();
    passed->stage = x.stage;
    passed->messages.resize(2);
    for (const auto& arrival : x.arrivals) {
      passed->epoch = arrival.epoch;
      passed->messages.at(static_cast<std::size_t>(arrival.task))
          = arrival.message;
    }
    // Not from within the call: the driver is elsewhere.
    std::thread{[this, passed] { tasks.passed(*passed); }}.join();
  }

  TemporaryDirectory directory;
  BarrierTasks tasks{[this](const BarrierArrived& x) { arrive(x); }, [] {}};
  BarrierSocket socket{tasks, directory.path("")};
  std::vector<std::string> paths;
};

/// A program's end of a socket.
class SocketCaller {
public:
  /// @param before_connect Called when it has its descriptor.
  explicit SocketCaller(const std::string& path,
                        const std::function<void()>& before_connect = {})
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (before_connect)
      before_connect();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address))
            == 0);
  }

  void say(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      auto n = ::send(fd_.get(), text.data() + sent, text.size() - sent,
                      MSG_NOSIGNAL);
      // It may have been hung up on.
      if (n <= 0)
        return;
      sent += static_cast<std::size_t>(n);
    }
  }

  /// A line, or "" at the end.
  std::string hear() {
    std::string result;
    for (char c = 0; ::recv(fd_.get(), &c, 1, 0) == 1 && c != '\n';)
      result += c;
    return result;
  }

  /// Whether something comes within that time.
  bool hears_within(int milliseconds) {
    pollfd entry{fd_.get(), POLLIN, 0};
    return ::poll(&entry, 1, milliseconds) == 1;
  }

  std::string ask(const std::string& line) {
    say(line + '\n');
    return hear();
  }

private:
  process::UniqueFd fd_;
};

} // namespace

TEST_CASE("programs of all tasks hear what each has said", "[barrier]") {
  TwoTasks x;
  SocketCaller one{x.paths[0]};
  SocketCaller other{x.paths[1]};
  one.say("{\"call\":\"all_gather\",\"message\":\"\\u00e4 b\"}\n");
  CHECK(other.ask(R"({"call":"all_gather","message":"y"})")
        == R"({"messages":["ä b","y"]})");
  CHECK(one.hear() == R"({"messages":["ä b","y"]})");
  // The same connection goes on, and so does another process of the task.
  one.say("{\"call\":\"barrier\"}\n");
  CHECK(SocketCaller{x.paths[1]}.ask(R"({"call":"barrier"})")
        == R"({"messages":["",""]})");
  CHECK(one.hear() == R"({"messages":["",""]})");
  CHECK(one.ask(R"({"call":"tasks"})") == R"({"tasks":["a","b"]})");
}

TEST_CASE("a caller that is gone has called all the same", "[barrier]") {
  TwoTasks x;
  {
    SocketCaller gone{x.paths[0]};
    gone.say("{\"call\":\"barrier\"}\n");
    // It has been heard before the next is.
    CHECK(SocketCaller{x.paths[0]}
              .ask(R"({"call":"barrier"})")
              .find("waits at a barrier already")
          != std::string::npos);
  }
  CHECK(SocketCaller{x.paths[1]}.ask(R"({"call":"barrier"})")
        == R"({"messages":["",""]})");
}

TEST_CASE("a socket answers again when descriptors were short for a while",
          "[barrier]") {
  TwoTasks x;
  // The thread that answers has begun, and has closed what it may have opened to begin: none is
  // to be free again below the limit. This caller stays, for the same reason.
  SocketCaller stays{x.paths[1]};
  REQUIRE(stays.ask(R"({"call":"tasks"})") == R"({"tasks":["a","b"]})");
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  std::vector<process::UniqueFd> others;
  SocketCaller caller{
      x.paths[0], [&] {
        process::UniqueFd highest{null_descriptor()};
        REQUIRE(highest);
        rlimit none{static_cast<rlim_t>(highest.get()) + 1, usual.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
        others.push_back(std::move(highest));
        while (process::UniqueFd next{null_descriptor()})
          others.push_back(std::move(next));
        REQUIRE(errno == EMFILE);
      }};
  caller.say("{\"call\":\"tasks\"}\n");
  auto heard = caller.hears_within(300);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK_FALSE(heard);
  REQUIRE(caller.hears_within(60'000));
  CHECK(caller.hear() == R"({"tasks":["a","b"]})");
}

TEST_CASE("a program of a task that ends waits no more", "[barrier]") {
  TwoTasks x;
  SocketCaller waits{x.paths[0]};
  waits.say("{\"call\":\"barrier\"}\n");
  CHECK(SocketCaller{x.paths[0]}.ask(R"({"call":"tasks"})")
        == R"({"tasks":["a","b"]})");
  x.tasks.end(socket_task(0));
  CHECK(waits.hear() == R"({"error":"the task is to end"})");
  x.socket.close(socket_task(0));
  CHECK(waits.hear().empty());
}

TEST_CASE("a wrong request gets an error, and no other is taken", "[barrier]") {
  TwoTasks x;
  auto [line, part] = GENERATE(table<std::string, std::string>({
      {"barrier", "no JSON"},
      {"[]", "needs \\\"call\\\""},
      {R"({"call":1})", "needs \\\"call\\\""},
      {R"({"call":"wait"})", "no such call"},
      {R"({"call":"barrier","message":"x"})", "only all_gather"},
      {R"({"call":"all_gather"})", "needs \\\"message\\\""},
      {R"({"call":"all_gather","message":1})", "needs \\\"message\\\""},
      {R"({"call":"barrier","epoch":1})", "neither"},
      {"{\"call\":\"all_gather\",\"message\":\"\xff\"}", "no JSON"},
      {R"({"call":"all_gather","message":")"
           + std::string(barrier_message_max + 1, 'x') + "\"}",
       "more than 1048576 bytes"},
  }));
  SocketCaller caller{x.paths[0]};
  auto answer = caller.ask(line);
  INFO(answer);
  CHECK(answer.starts_with("{\"error\":"));
  CHECK(answer.find(part) != std::string::npos);
  CHECK(caller.ask(R"({"call":"tasks"})").empty());
}

TEST_CASE("a request without end is not read for ever", "[barrier]") {
  TwoTasks x;
  SocketCaller caller{x.paths[0]};
  std::thread talker{
      [&] { caller.say(std::string(2 * barrier_line_max, 'x')); }};
  CHECK(caller.hear().find("more than 8388608 bytes") != std::string::npos);
  talker.join();
}

TEST_CASE("only the user of the task can reach its socket, and nothing is left "
          "of it",
          "[barrier]") {
  std::string inside;
  TemporaryDirectory directory;
  {
    BarrierTasks tasks{[](const BarrierArrived&) {}, [] {}};
    BarrierSocket socket{tasks, directory.path("")};
    auto path = socket.open(socket_task(0));
    REQUIRE(path);
    inside = std::filesystem::path{*path}.parent_path();
    struct stat status {};
    REQUIRE(::stat(inside.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }
  CHECK_FALSE(std::filesystem::exists(inside));
}

TEST_CASE("sockets are in the directory of their executor, however long its "
          "name is",
          "[barrier]") {
  TemporaryDirectory temporary;
  auto directory = temporary.path(std::string(200, 'x'));
  std::filesystem::create_directory(directory);
  {
    auto hosts = std::make_shared<const std::vector<std::string>>(1, "a");
    BarrierTasks tasks{[](const BarrierArrived&) {}, [] {}};
    tasks.begin(socket_task(0), hosts, 0);
    BarrierSocket socket{tasks, directory};
    auto path = socket.open(socket_task(0));
    REQUIRE(path);
    CHECK(std::filesystem::canonical(*path).string().starts_with(directory));
    CHECK(SocketCaller{*path}.ask(R"({"call":"tasks"})")
          == R"({"tasks":["a"]})");
  }
  CHECK(std::filesystem::is_empty(directory));
}
