// What is written and read: storage/message_log.hpp.

#include "storage/message_log.hpp"
#include "storage/message_log_reader.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <thread>

#include "scheduling/master/render.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// As the log has it: without what may be secret.
void hide_environment(Command& x) {
  for (auto& [name, value] : x.environment)
    value = "(hidden)";
}

template <class Description>
void hide_environments(Description& x) {
  hide_environment(x.command);
  if (x.on_end)
    hide_environment(x.on_end->command);
}

/// One event of each type, every field filled.
std::vector<Event> all_events(std::uint64_t seed) {
  Random random{seed};
  std::vector<Event> result;
  auto add = [&]<class T>(T x) {
    stoker::test::fill(x, random);
    if constexpr (std::is_same_v<T, RegisterApplication>)
      hide_environments(x.description);
    if constexpr (std::is_same_v<T, RequestSubmitDriver>)
      hide_environments(x.driver_description);
    if constexpr (std::is_same_v<T, ElectedLeader>) {
      for (auto& y : x.stored.applications)
        hide_environments(y.description);
      for (auto& y : x.stored.drivers)
        hide_environments(y.description);
    }
    result.emplace_back(std::move(x));
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (add(Ts{}), ...);
  }(static_cast<Event*>(nullptr));
  return result;
}

const std::string header = R"({"stoker_message_log":1,"config":{}})"
                           "\n";
const std::string step
    = R"({"at":1,"from":"","event":{"ElectedLeader":{}},"effects":[]})"
      "\n";

/// What reading a log to its end says.
std::string problem_in(const std::string& log) {
  std::istringstream in{log};
  try {
    MessageLogReader reader{in};
    while (reader.next())
      continue;
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

std::size_t steps_in(const std::string& log) {
  std::istringstream in{log};
  MessageLogReader reader{in};
  std::size_t result = 0;
  while (reader.next())
    ++result;
  return result;
}

/// Ignores a signal for as long as it lives.
class IgnoredSignal {
public:
  explicit IgnoredSignal(int number)
      : number_(number), old_(signal(number, SIG_IGN)) {
  }
  ~IgnoredSignal() {
    signal(number_, old_);
  }
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

private:
  int number_;
  sighandler_t old_;
};

/// Keeps this process from writing to files for as long as it lives.
class NoFileMayGrow {
public:
  NoFileMayGrow() {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old_) == 0);
    rlimit limit{0, old_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~NoFileMayGrow() {
    setrlimit(RLIMIT_FSIZE, &old_);
  }
  NoFileMayGrow(const NoFileMayGrow&) = delete;
  NoFileMayGrow& operator=(const NoFileMayGrow&) = delete;

private:
  rlimit old_{};
};

std::string problem_of_writing(const std::string& path) {
  try {
    MessageLogWriter writer{path, ClusterConfig{}};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

} // namespace

TEST_CASE("every event comes back as it was written", "[storage]") {
  auto seed = GENERATE(range(1, 20));
  INFO("seed " << seed);
  TemporaryDirectory directory;
  auto path = directory.path("log");
  auto events = all_events(static_cast<std::uint64_t>(seed));
  CHECK(events.size() == std::variant_size_v<Event>);
  StepResult effects{{}, {Reply{true}}, Instant{Duration{5}}};
  Instant at{Duration{1}};
  MessageLogWriter writer{path, ClusterConfig{}};
  for (const auto& event : events)
    CHECK(
        writer.append(at += Duration{1}, EndpointId{"e\"1\n"}, event, effects));
  writer.flush();

  std::ifstream in{path};
  MessageLogReader reader{in};
  at = Instant{Duration{1}};
  for (const auto& event : events) {
    INFO(to_string(event));
    auto read = reader.next();
    REQUIRE(read);
    CHECK(read->at == (at += Duration{1}));
    CHECK(read->from == EndpointId{"e\"1\n"});
    CHECK(read->event == event);
    CHECK(read->effects
          == std::vector<std::string>{"reply true", "wake at 5ms"});
  }
  CHECK_FALSE(reader.next());
}

TEST_CASE("a log has the configuration of its master", "[storage]") {
  TemporaryDirectory directory;
  ClusterConfig config;
  config.master_url = "stoker://m:1";
  config.spread_out = false;
  config.default_cores = 7;
  config.worker_timeout = Duration{12345};
  config.seed = std::numeric_limits<std::uint64_t>::max();
  MessageLogWriter writer{directory.path("log"), config};
  std::ifstream in{directory.path("log")};
  auto read = MessageLogReader{in}.config();
  CHECK(read.master_url == config.master_url);
  CHECK_FALSE(read.spread_out);
  CHECK(read.default_cores == 7);
  CHECK(read.worker_timeout == config.worker_timeout);
  CHECK(read.seed == config.seed);
}

TEST_CASE("what was appended reaches the file at once when that is asked for",
          "[storage]") {
  TemporaryDirectory directory;
  MessageLogWriter writer{directory.path("log"), ClusterConfig{}};
  for (std::size_t i = 1; i <= 3; ++i) {
    CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
    writer.flush();
    CHECK(steps_in(directory.read("log")) == i);
  }
}

TEST_CASE("what was appended reaches the file by itself", "[storage]") {
  TemporaryDirectory directory;
  MessageLogWriter writer{directory.path("log"), ClusterConfig{}};
  CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (steps_in(directory.read("log")) == 0
         && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  CHECK(steps_in(directory.read("log")) == 1);
}

TEST_CASE("a writer that ends has written all of its log", "[storage]") {
  TemporaryDirectory directory;
  {
    MessageLogWriter writer{directory.path("log"), ClusterConfig{}};
    for (int i = 0; i < 5000; ++i)
      CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  }
  CHECK(steps_in(directory.read("log")) == 5000);
}

TEST_CASE("a last line that was cut off is no error", "[storage]") {
  for (std::size_t n = 0; n < step.size(); ++n) {
    INFO("the first " << n << " bytes of it");
    auto log = header + step + step.substr(0, n);
    CHECK(problem_in(log).empty());
    CHECK(steps_in(log) == 1);
  }
  CHECK(steps_in(header + step + step) == 2);
}

TEST_CASE("a damaged line before the last is an error with its number",
          "[storage]") {
  for (const std::string line :
       {"", "{", "[]", "null", "{}", R"({"at":1})",
        R"({"at":"1","from":"","event":{"ElectedLeader":{}},"effects":[]})",
        R"({"at":1,"from":"","event":{},"effects":[]})",
        R"({"at":1,"from":"","event":{"Nonsense":{}},"effects":[]})",
        R"({"at":1,"from":"","event":{"ElectedLeader":[]},"effects":[]})",
        R"({"at":1,"from":7,"event":{"ElectedLeader":{}},"effects":[]})",
        R"({"at":1,"from":"","event":{"ElectedLeader":{}},"effects":{}})"}) {
    INFO(line);
    auto problem = problem_in(header + step + line + "\n" + step);
    CHECK(problem.find("line 3 is damaged: ") == 0);
  }
}

TEST_CASE("what a leader of an older version found is read as it is found now",
          "[storage]") {
  std::istringstream in{
      R"({"stoker_message_log":2,"config":{}})"
      "\n"
      R"({"at":1,"from":"","event":{"ElectedLeader":{"stored":{"applications":[)"
      R"({"id":"app-1","state":"RUNNING","instances_done":[0,2],)"
      R"("instance_failures":[0,1,2]},)"
      R"({"id":"app-2","state":"FINISHED","instances_done":[0],)"
      R"("instance_failures":[1]}]}}},"effects":[]})"
      "\n"};
  MessageLogReader reader{in};
  auto read = reader.next();
  REQUIRE(read);
  const auto& stored = std::get<ElectedLeader>(read->event).stored;
  AppId app{"app-1"};
  CHECK(stored.instances
        == std::vector<StoredInstance>{
            {app, 0, true, 0}, {app, 1, false, 1}, {app, 2, true, 2}});
  CHECK(stored.applications.front().instances_done == 2);
  CHECK(stored.applications.back().instances_done == 1);
}

TEST_CASE("what is no log of this version is refused", "[storage]") {
  CHECK(problem_in("") == "not a message log of Stoker");
  CHECK(problem_in("hello\n") == "not a message log of Stoker");
  CHECK(problem_in("[1]\n") == "not a message log of Stoker");
  CHECK(problem_in("{}\n") == "not a message log of Stoker");
  CHECK(
      problem_in("{\"stoker_message_log\":5,\"config\":{}}\n")
      == "a message log of version 5; this program reads versions 1 to 4: use "
         "the 'stoker' that wrote it, or a newer one");
  CHECK(problem_in("{\"stoker_message_log\":1}\n") != "");
  CHECK(problem_in("{\"stoker_message_log\":1,\"config\":7}\n") != "");
  CHECK(problem_in("{\"stoker_message_log\":1,\"config\":{\"worker_timeout\":"
                   "0}}\n")
        == "the message log's configuration: spark.worker.timeout must be "
           "greater than 0");
}

TEST_CASE("a log that cannot be begun is an error", "[storage]") {
  TemporaryDirectory directory;
  for (const auto& path :
       {directory.path("missing/log"), directory.path(".")}) {
    INFO(path);
    CHECK(problem_of_writing(path).find("cannot write the message log " + path)
          == 0);
  }
}

TEST_CASE("a log that cannot hold its first line is lost at once",
          "[storage]") {
  // As on a full disk. Never with a device of the machine: a master that runs
  // as root could change it for everybody.
  TemporaryDirectory directory;
  auto path = directory.path("log");
  IgnoredSignal too_large{SIGXFSZ};
  std::optional<MessageLogWriter> writer;
  {
    // Only here: the report of this test may be a file, too.
    NoFileMayGrow limit;
    writer.emplace(path, ClusterConfig{});
  }
  CHECK(writer->problem()
        == "cannot write the message log " + path + ": File too large");
  // Its owner is told once, and goes on.
  CHECK_FALSE(writer->append(Instant{}, {}, ElectedLeader{}, {}));
  CHECK(writer->append(Instant{}, {}, ElectedLeader{}, {}));
  writer->flush();
  CHECK(directory.read("log").empty());
}

TEST_CASE("a log is for its owner alone", "[storage]") {
  TemporaryDirectory directory;
  auto path = directory.write("log", "");
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  for (const auto& log : {path, directory.path("new")}) {
    INFO(log);
    MessageLogWriter writer{log, ClusterConfig{}};
    CHECK(mode_of(log) == 0600);
  }
}

TEST_CASE("a log into a device leaves the device to others", "[storage]") {
  // A pipe stands for it: like a device, it is no file of the master's.
  TemporaryDirectory directory;
  auto path = directory.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  auto reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  { MessageLogWriter writer{path, ClusterConfig{}}; }
  struct stat status {};
  REQUIRE(fstat(reader, &status) == 0);
  CHECK((status.st_mode & 0777U) == 0666);
  close(reader);
}

TEST_CASE("secrets of programs do not reach the log", "[storage]") {
  TemporaryDirectory directory;
  MessageLogWriter writer{directory.path("log"), ClusterConfig{}};
  RegisterApplication app;
  app.description.command.environment = {{"PASSWORD", "hunter2"}};
  app.description.on_end.emplace().command.environment
      = {{"PASSWORD", "hunter2"}};
  RequestSubmitDriver driver;
  driver.driver_description.command.environment = {{"PASSWORD", "hunter2"}};
  CHECK(writer.append(Instant{}, {}, app, {}));
  CHECK(writer.append(Instant{}, {}, driver, {}));
  ElectedLeader elected;
  elected.stored.applications.emplace_back().description = app.description;
  CHECK(writer.append(Instant{}, {}, elected, {}));
  writer.flush();
  auto text = directory.read("log");
  CHECK(text.find("PASSWORD") != std::string::npos);
  CHECK(text.find("hunter2") == std::string::npos);
}

TEST_CASE("a log that cannot be continued says so once", "[storage]") {
  // A pipe without a reader fails as a full disk does.
  TemporaryDirectory directory;
  auto path = directory.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  IgnoredSignal pipe{SIGPIPE};
  auto reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  MessageLogWriter writer{path, ClusterConfig{}};
  CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  writer.flush();
  close(reader);
  CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  writer.flush();
  CHECK_FALSE(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
  CHECK(writer.append(Instant{}, {}, ElectedLeader{}, {}));
}
