// `stoker barrier` and the module for Python, used wrongly and answered wrongly: one line
// that says what is wrong, and an exit code that tells whose fault it is.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

constexpr const char* no_answer
    = "the executor does not answer: the task is to "
      "end, or has too many callers";
constexpr const char* not_understood
    = "the executor's answer is not understood";

/// Says the same to all callers, one after the other, and hangs up: no executor does so.
class WrongExecutor {
public:
  /// @param reads Whether it reads what it is asked, before it answers.
  WrongExecutor(const std::string& path, std::string answer, bool reads)
      : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address),
                   sizeof(address))
            == 0);
    REQUIRE(::listen(listener_, 8) == 0);
    thread_ = std::thread{[this, answer = std::move(answer), reads] {
      for (int caller; (caller = ::accept(listener_, nullptr, nullptr)) >= 0;)
        serve(caller, answer, reads);
    }};
  }

  ~WrongExecutor() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  WrongExecutor(const WrongExecutor&) = delete;
  WrongExecutor& operator=(const WrongExecutor&) = delete;

private:
  static void serve(int caller, const std::string& answer, bool reads) {
    for (char c = 0; reads && ::recv(caller, &c, 1, 0) == 1 && c != '\n';) {
    }
    ::send(caller, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(caller);
  }

  int listener_;
  std::thread thread_;
};

/// A barrier task of a real job that waits. Commands of the sandbox find its socket.
struct WaitingTask : JobCluster {
  explicit WaitingTask(int tasks = 1) : JobCluster(0) {
    start_local({"--workers", "1", "--cores", "2", "--memory", "2g"});
    job_ = &start_job(
        R"({"name": "a", "input": {"range": )" + std::to_string(tasks)
        + R"(}, "barrier": true, )" + here()
        + R"(, "command": ["sh", "-c", "echo $STOKER_BARRIER_SOCKET > )"
          R"(said-$RANK; mv said-$RANK socket-$RANK; )"
          R"(until [ -e go ]; do sleep 0.02; done"]})");
    for (int i = 0; i < tasks; ++i)
      REQUIRE(eventually([&] { return !socket_of(i).empty(); }));
    environment["STOKER_BARRIER_SOCKET"] = socket_of(0);
  }

  [[nodiscard]] std::string socket_of(int task) const {
    auto lines = lines_of(contents_of(path("socket-" + std::to_string(task))));
    return lines.empty() ? "" : lines.front();
  }

  /// Runs words of a shell, with the program as $STOKER.
  stoker::test::Result shell(const std::string& words) {
    environment["STOKER"] = STOKER_PROGRAM;
    return start({"sh", "-c", words}).result();
  }

  stoker::test::Result job_result() {
    return job_->result();
  }

private:
  Process* job_ = nullptr;
};

} // namespace

TEST_CASE("answers that no executor gives end in one line, in a shell and in "
          "Python") {
  struct Case {
    std::string answer;
    std::string error;
    bool reads = true;
  };
  auto x = GENERATE(values<Case>({
      {"", no_answer},
      {"", no_answer, false},
      {"no JSON\n", not_understood},
      {"{\"messages\":[\"\xff\"]}\n", not_understood},
      {std::string(100'000, '[') + "\n", not_understood},
      {"[]\n", not_understood},
      {"{}\n", not_understood},
      {"{\"tasks\":[\"a\"]}\n", not_understood},
      {"{\"messages\":null}\n", not_understood},
      {"{\"messages\":{\"a\":\"b\"}}\n", not_understood},
      {"{\"messages\":[\"a\",1]}\n", not_understood},
      {"{\"error\":1}\n", not_understood},
      {"{\"messages\":[\"a\"]}", "the executor's answer is cut off"},
      {"{\"error\":\"the reason\"}\n", "the reason"},
      {"{\"error\":\"the reason\"}\n", "the reason", false},
  }));
  INFO(x.answer.substr(0, 100));
  Sandbox sandbox;
  auto path = sandbox.path("socket");
  WrongExecutor executor{path, x.answer, x.reads};
  sandbox.environment["STOKER_BARRIER_SOCKET"] = path;
  check_refusal(sandbox.run({"barrier", "--all-gather", "x"}), 1, x.error);
  if (std::system("python3 -c pass 2> /dev/null") != 0)
    return skip("python3 is not there");
  sandbox.environment["PYTHONPATH"] = STOKER_ROOT "/python";
  auto python = sandbox
                    .start({"python3", "-B", "-c",
                            "import stoker_barrier\n"
                            "try: stoker_barrier.all_gather('x')\n"
                            "except stoker_barrier.BarrierError as error: "
                            "print(error)"})
                    .result();
  INFO(python.err);
  CHECK(python.status == 0);
  CHECK(python.out == x.error + '\n');
}

TEST_CASE("programs in Python that are no tasks are told so") {
  if (std::system("python3 -c pass 2> /dev/null") != 0)
    return skip("python3 is not there");
  Sandbox sandbox;
  sandbox.environment["PYTHONPATH"] = STOKER_ROOT "/python";
  auto [socket, call, error]
      = GENERATE(table<std::string, std::string, std::string>({
          {"", "barrier()", "STOKER_BARRIER_SOCKET is not set"},
          {"/no/such", "tasks()", "No such file"},
          {std::string(200, 'x'), "tasks()", "too long"},
          {"", "BarrierTaskContext.get().partitionId()", "STOKER_TASK"},
          {"", "BarrierTaskContext.get().attemptNumber()", "STOKER_ATTEMPT"},
      }));
  if (!socket.empty())
    sandbox.environment["STOKER_BARRIER_SOCKET"] = socket;
  auto python = sandbox
                    .start({"python3", "-B", "-c",
                            "import stoker_barrier\n"
                            "try: stoker_barrier."
                                + call
                                + "\nexcept stoker_barrier.BarrierError as "
                                  "error: print(error)"})
                    .result();
  INFO(python.err << python.out);
  CHECK(python.status == 0);
  CHECK(python.out.find(error) != std::string::npos);
}

TEST_CASE("who is no barrier task is told so") {
  Sandbox sandbox;
  check_refusal(sandbox.run({"barrier"}), 2,
                "this is no task of a barrier stage: STOKER_BARRIER_SOCKET is "
                "not set");
  sandbox.environment["STOKER_BARRIER_SOCKET"] = "/no/such";
  check_refusal(sandbox.run({"barrier"}), 1,
                "the executor cannot be reached at /no/such: No such file");
  sandbox.environment["STOKER_BARRIER_SOCKET"] = std::string(200, 'x');
  check_refusal(sandbox.run({"barrier"}), 2, "too long");
}

TEST_CASE("a task of another stage is told that it has no barrier") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 1}, "env": {"STOKER": ")" STOKER_PROGRAM
      R"("}, "command": ["sh", "-c", "$STOKER barrier 2>&1; echo $?"]})");
  INFO(result.err);
  CHECK(result.out
        == "stoker: this is no task of a barrier stage: "
           "STOKER_BARRIER_SOCKET is not set\n2\n");
}

TEST_CASE(
    "a task that asks wrongly is told so in one line, and may ask again") {
  WaitingTask task;
  auto misuse
      = [&](const std::vector<std::string>& words, const std::string& line) {
          std::vector<std::string> all{"barrier"};
          all.insert(all.end(), words.begin(), words.end());
          INFO(words.back().substr(0, 40));
          check_refusal(task.run(all), 2, line);
        };
  misuse({"--all-gather"}, "--all-gather");
  misuse({"--no-such"}, "--no-such");
  misuse({"all"}, "all");
  misuse({"--tasks", "--all-gather", "x"}, "--tasks");
  misuse({"--all-gather", "x", "y"}, "y");
  misuse({"--all-gather", "\xff"}, "the text is not in UTF-8");
  struct Input {
    std::string words;
    int status;
    std::string line;
  };
  for (const auto& x : std::vector<Input>{
           {"{ head -c 2000000 /dev/zero | tr '\\0' x; } 2> /dev/null | "
            "$STOKER barrier --all-gather -",
            1, "the message has more than 1048576 bytes"},
           {"yes 2> /dev/null | $STOKER barrier --all-gather -", 1,
            "the message has more than 1048576 bytes"},
           {"printf '\\377' | $STOKER barrier --all-gather -", 2,
            "the text is not in UTF-8"},
           {"$STOKER barrier --all-gather x > /dev/full", 1,
            "cannot write to standard output: No space left on device"},
           {"$STOKER barrier --all-gather x >&-", 1,
            "cannot write to standard output: Bad file descriptor"},
           {"$STOKER barrier --all-gather - <&-", 1,
            "cannot read standard input: Bad file descriptor"},
           {"$STOKER barrier --tasks >&- <&-", 1,
            "cannot write to standard output: Bad file descriptor"},
       }) {
    INFO(x.words);
    check_refusal(task.shell(x.words), x.status, x.line);
  }
  // What needs no output needs no place for it.
  CHECK(task.shell("$STOKER barrier <&- >&- 2>&-").status == 0);
  auto most = task.shell("{ head -c 1048576 /dev/zero | tr '\\0' x; echo; } | "
                         "$STOKER barrier --all-gather - | wc -c");
  CHECK(most.out == "1048577\n");
  task.go();
  CHECK(task.job_result().status == 0);
}

TEST_CASE("who waits at a barrier hears of it when the executor is killed") {
  WaitingTask task{2};
  // One of them waits, the other is told so.
  auto& one = task.stoker({"barrier"});
  auto& other = task.stoker({"barrier"});
  REQUIRE(eventually([&] { return !one.running() || !other.running(); }));
  auto& waits = one.running() ? one : other;
  auto& told = one.running() ? other : one;
  check_refusal(told.result(), 1, "waits at a barrier already");
  // Else the last one may hear of the end of the first, and says itself that it is over.
  for (auto signal : {SIGSTOP, SIGKILL})
    for (auto pid : task.executors())
      ::kill(pid, signal);
  check_refusal(waits.result(), 1, no_answer);
  // Nobody listens any more.
  check_refusal(task.run({"barrier"}), 1, "the executor cannot be reached at");
  task.go();
  CHECK(task.job_result().status == 0);
}

TEST_CASE("who asks an executor that stands still is answered when it goes on, "
          "or has ended") {
  WaitingTask task;
  auto executors = task.executors();
  REQUIRE(executors.size() == 1);
  ::kill(executors.front(), SIGSTOP);
  auto& asks = task.stoker({"barrier", "--tasks"});
  // The kernel has taken the call: beside the socket that listens there is the one that it
  // would be answered by.
  REQUIRE(eventually([&] {
    auto sockets = lines_of(contents_of("/proc/net/unix"));
    return std::count_if(sockets.begin(), sockets.end(),
                         [&](const auto& x) {
                           return x.ends_with(' ' + task.socket_of(0));
                         })
           == 2;
  }));
  SECTION("it goes on") {
    ::kill(executors.front(), SIGCONT);
    auto result = asks.result();
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 1);
  }
  SECTION("it is killed") {
    ::kill(executors.front(), SIGKILL);
    check_refusal(asks.result(), 1, no_answer);
  }
  task.go();
  CHECK(task.job_result().status == 0);
}
