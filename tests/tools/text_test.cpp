// What people read: tables, status, labelled output; and the ids they write.

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <sstream>
#include <utility>

#include "scheduling/common/entity_id.hpp"
#include "tests/support/catch.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/program_choice.hpp"
#include "tools/stoker/run_output.hpp"
#include "tools/stoker/status_filter.hpp"
#include "tools/stoker/status_text.hpp"
#include "tools/stoker/table.hpp"

using namespace stoker;

namespace {

/// Takes what is written to a stream.
class Captured {
public:
  explicit Captured(std::ostream& stream)
      : stream_(stream), old_(stream.rdbuf(text_.rdbuf())) {
  }
  ~Captured() {
    stream_.rdbuf(old_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string take() {
    auto result = text_.str();
    text_.str("");
    return result;
  }

private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* old_;
};

MasterStateResponse sample() {
  MasterStateResponse x;
  x.master_url = "stoker://m1:7070";
  x.status = RecoveryState::ALIVE;
  x.workers.push_back({WorkerId{"worker-1"}, "h1", 0, WorkerState::ALIVE, 8, 3,
                       16384, 1536, 0});
  x.workers.push_back({WorkerId{"worker-22"}, "host-2", 0, WorkerState::DEAD, 4,
                       0, 4096, 0, 0});
  ApplicationInfo app;
  app.id = AppId{"app-1"};
  app.name = "sort";
  app.user = "ann";
  app.state = ApplicationState::RUNNING;
  app.cores_granted = 3;
  app.instances = 9;
  app.instances_done = 7;
  app.executors_started = 8;
  app.submitted_ms = 1'763'711'160'000;
  ExecutorInfo executor;
  executor.app_id = app.id;
  executor.index = 4;
  executor.worker_id = WorkerId{"worker-1"};
  executor.cores = 3;
  executor.memory_mb = 1536;
  executor.state = ExecutorState::RUNNING;
  executor.launched_ms = app.submitted_ms + 5'000;
  app.executors.push_back(executor);
  x.active_apps.push_back(app);
  app.id = AppId{"app-0"};
  app.state = ApplicationState::KILLED;
  app.cores_granted = 0;
  app.instances.reset();
  app.executors_started = 1;
  app.message = "killed on request";
  app.ended_ms = app.submitted_ms + 30'000;
  app.executors.front().app_id = app.id;
  app.executors.front().index.reset();
  app.executors.front().state = ExecutorState::EXITED;
  app.executors.front().exit_status = 137;
  app.executors.front().ended_ms = app.submitted_ms + 20'000;
  x.completed_apps.push_back(app);
  return x;
}

std::string status_of(const MasterStateResponse& state,
                      const StatusView& view = {}) {
  std::ostringstream out;
  print_status(out, state, view);
  return out.str();
}

std::array<int, 2> open_pipe(int flags) {
  std::array<int, 2> result{};
  REQUIRE(::pipe2(result.data(), flags | O_CLOEXEC) == 0);
  return result;
}

/// A pipe in the place of standard output.
class Piped {
  std::array<int, 2> ends_ = open_pipe(O_NONBLOCK);

public:
  /// With room for all that a test writes at once.
  Piped() {
    REQUIRE(::fcntl(ends_[1], F_SETPIPE_SZ, 1 << 20) > 0);
  }
  ~Piped() {
    close_reader();
    ::close(ends_[1]);
  }

  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  OutputFile file{ends_[1]};

  /// What was written since the last call.
  std::string take() {
    std::string result;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0;
         (n = ::read(ends_[0], buffer.data(), buffer.size())) > 0;)
      result.append(buffer.data(), static_cast<std::size_t>(n));
    return result;
  }

  void close_reader() {
    ::close(std::exchange(ends_[0], -1));
  }
};

} // namespace

TEST_CASE("the status says which Spark a worker has, where one has any",
          "[text][spark]") {
  auto x = sample();
  CHECK(status_of(x).find("SPARK") == std::string::npos);
  x.workers.front().spark_versions = {"3.5.9", "4.1.4"};
  x.workers.front().only_spark = true;
  auto text = status_of(x);
  CHECK(text.find("SPARK") != std::string::npos);
  CHECK(text.find("3.5.9, 4.1.4 only") != std::string::npos);
}

TEST_CASE("a table's columns are as wide as their content", "[text]") {
  std::ostringstream out;
  print_table(out, {"ID", "NAME", "X"},
              {{"1", "long name", "y"}, {"22", "n", ""}});
  CHECK(out.str()
        == "  ID  NAME       X\n"
           "  1   long name  y\n"
           "  22  n          \n");
}

TEST_CASE("a table without rows says so", "[text]") {
  std::ostringstream out;
  print_table(out, {"ID", "NAME"}, {});
  CHECK(out.str() == "  (none)\n");
}

TEST_CASE("the status of a cluster can be read", "[text]") {
  setenv("TZ", "UTC", 1);
  tzset();
  StatusView view;
  view.now_ms = 1'763'711'160'000 + 45'000;
  CHECK(status_of(sample(), view) ==
        R"(ALIVE stoker://m1:7070
Workers
  ID         HOST    STATE  CORES USED  MEMORY USED
  worker-1   h1      ALIVE  3 of 8      1536 MB of 16.0 GB
  worker-22  host-2  DEAD   0 of 4      0 MB of 4096 MB
Applications
  ID     NAME  USER  STATE    CORES  INSTANCES DONE  SUBMITTED            ELAPSED  MESSAGE
  app-1  sort  ann   RUNNING  3      7 of 9          2025-11-21 07:46:00  45 s     -
  app-0  sort  ann   KILLED   0      -               2025-11-21 07:46:00  30 s     killed on request
Executors
  ID       INSTANCE  WORKER    STATE    CORES  MEMORY   ELAPSED  EXIT  MESSAGE
  app-1/0  4         worker-1  RUNNING  3      1536 MB  40 s     -     -
  app-0/0  -         worker-1  EXITED   3      1536 MB  15 s     137   -
2 of 9 executors that their applications have started; --all shows all that are kept
Drivers
  (none)
)");
}

TEST_CASE("one part of the status can be shown alone", "[text]") {
  StatusView view{true, false, false, false};
  CHECK(status_of(sample(), view).find("Applications") == std::string::npos);
  view = {false, false, false, true};
  CHECK(status_of({}, view) == "STANDBY \nDrivers\n  (none)\n");
}

TEST_CASE(
    "a status that fits a screen shows what there is, and what ended last",
    "[text]") {
  MasterStateResponse state;
  for (int i = 0; i < 30; ++i) {
    ApplicationInfo app;
    app.id = AppId{"app-" + std::to_string(i)};
    (i < 10 ? state.active_apps : state.completed_apps).push_back(app);
  }
  state.workers.resize(3);
  state.workers.front().state = WorkerState::DEAD;
  StatusView view;
  view.ended_max = 5;
  view.rows_max = 20;
  auto text = status_of(state, view);
  CHECK(text.find("app-9 ") != std::string::npos);
  CHECK(text.find("app-24 ") == std::string::npos);
  CHECK(text.find("app-25 ") != std::string::npos);
  CHECK(text.find("and 15 that ended before\n") != std::string::npos);
  CHECK(text.find("and 1 dead worker\n") != std::string::npos);
  CHECK(text.find("DEAD") == std::string::npos);
  view.rows_max = 4;
  text = status_of(state, view);
  CHECK(text.find("app-3 ") != std::string::npos);
  CHECK(text.find("app-4 ") == std::string::npos);
  CHECK(text.find("and 6 more\n") != std::string::npos);
  CHECK(text.find("and 20 that ended before\n") != std::string::npos);
}

TEST_CASE("where there is no room for all that has ended, the last are shown",
          "[text]") {
  auto state = sample();
  state.completed_apps.clear();
  ApplicationInfo ended;
  ended.state = ApplicationState::FINISHED;
  ended.ended_ms = 1;
  for (auto i = 1; i <= 1200; ++i) {
    ended.id = AppId{"ended-" + std::to_string(i)};
    state.completed_apps.push_back(ended);
  }
  auto has = [&](const std::string& text, int number) {
    return text.find("ended-" + std::to_string(number) + ' ')
           != std::string::npos;
  };
  StatusView view{false, true, false, false};
  for (std::size_t limit : {3, 1000}) {
    view.rows_max = limit;
    auto text = status_of(state, view);
    // One that runs comes first.
    auto first_shown = 1200 - static_cast<int>(limit) + 2;
    CHECK(text.find("app-1 ") != std::string::npos);
    CHECK(has(text, 1200));
    CHECK(has(text, first_shown));
    CHECK_FALSE(has(text, first_shown - 1));
    CHECK(text.find("  and " + std::to_string(first_shown - 1)
                    + " that ended before\n")
          != std::string::npos);
  }
  view.rows_max = 0;
  CHECK(status_of(state, view).find("  and 1200 that ended before\n")
        != std::string::npos);
  CHECK(status_of(state, view).find("  and 1 more\n") != std::string::npos);
}

TEST_CASE("names do not make a table wider than a screen", "[text]") {
  auto state = sample();
  state.active_apps.front().name = std::string(5000, 'x');
  auto text = status_of(state);
  CHECK(text.find(std::string(29, 'x') + "...  ann") != std::string::npos);
  CHECK(text.find(std::string(30, 'x')) == std::string::npos);
}

TEST_CASE("the status can be asked for one user, state or thing", "[text]") {
  auto apps_of = [](MasterStateResponse state, const StatusFilter& wanted) {
    filter(state, wanted);
    std::string result;
    for (const auto* apps : {&state.active_apps, &state.completed_apps})
      for (const auto& x : *apps)
        result += x.id.value + ' ';
    return result;
  };
  auto state = sample();
  state.completed_apps.front().user = "bob";
  CHECK(apps_of(state, {}) == "app-1 app-0 ");
  StatusFilter wanted;
  wanted.user = "bob";
  CHECK(apps_of(state, wanted) == "app-0 ");
  wanted.state = "RUNNING";
  CHECK(apps_of(state, wanted).empty());
  wanted = {};
  wanted.only_active = true;
  CHECK(apps_of(state, wanted) == "app-1 ");
  wanted = {};
  wanted.app_id = AppId{"app-0"};
  CHECK(apps_of(state, wanted) == "app-0 ");
  // Of executors alone, those in the state count, and not their applications.
  wanted = {};
  wanted.state = "EXITED";
  filter(state, wanted, true);
  CHECK(state.active_apps.empty());
  CHECK(state.completed_apps.size() == 1);
  CHECK(state.workers.empty());
  // Its command has failed.
  wanted.state = "FAILED";
  state.completed_apps.front().executors.front().exit_status = 0;
  auto good = state;
  filter(good, wanted, true);
  CHECK(good.completed_apps.empty());
  state.completed_apps.front().executors.front().exit_status = 3;
  filter(state, wanted, true);
  CHECK(state.completed_apps.size() == 1);
  CHECK(is_state("LOST"));
  CHECK_FALSE(is_state("LAST"));
}

TEST_CASE("an instance's output is that of its last executor", "[text]") {
  MasterStateResponse state;
  auto& app = state.active_apps.emplace_back();
  app.id = AppId{"app-1"};
  app.instances = 2;
  // As a master lists them: present ones first.
  for (auto [exec_id, index] : {std::pair{2, 0}, {1, 1}, {0, 0}}) {
    auto& x = app.executors.emplace_back();
    x.exec_id = exec_id;
    x.index = index;
  }
  auto found = [&](std::optional<int> instance) {
    auto result = find_executor(state, AppId{"app-1"}, instance);
    return result ? std::to_string(result->exec_id) : result.error().message;
  };
  CHECK(found(0) == "2");
  CHECK(found(1) == "1");
  CHECK(found(2) == "app-1 has no executor of instance 2");
  CHECK(found({}) == "app-1 has 2 instances; say which with --instance N");
  app.executors.pop_back();
  app.executors.pop_back();
  CHECK(found({}) == "2");
  app.executors.clear();
  CHECK(found({}) == "app-1 has no executors that are known");
  CHECK(find_executor({}, AppId{"app-2"}, {}).error().message
        == "app-2 is not known here");
}

TEST_CASE("a text from somewhere else stays on its line", "[text]") {
  auto state = sample();
  state.active_apps.front().name = "evil\nALIVE\x1b[2J";
  auto text = status_of(state);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("evil?ALIVE?[2J") != std::string::npos);
}

TEST_CASE("ids are told apart by how they begin", "[text]") {
  CHECK(parse_entity_id("app-1") == EntityId{AppId{"app-1"}});
  CHECK(parse_entity_id("app-1/7") == EntityId{ExecutorId{AppId{"app-1"}, 7}});
  CHECK(parse_entity_id("driver-1") == EntityId{DriverId{"driver-1"}});
  CHECK(parse_entity_id("worker-1") == EntityId{WorkerId{"worker-1"}});
  for (const auto* text : {"", "1", "ap-1", "App-1", "app-1/", "app-1/x",
                           "app-1/-1", "app-1/1/2", "app-1/99999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_entity_id(text));
  }
}

TEST_CASE("output goes where the instance wrote it", "[text]") {
  Piped out;
  Piped err;
  RunOutput x{{false, true, false}, out.file, err.file};
  x.output(0, false, "half a ");
  x.output(1, true, "error\n");
  x.output(0, false, "line\n");
  CHECK(out.take() == "half a line\n");
  CHECK(err.take() == "error\n");
}

TEST_CASE("a label stands in front of each whole line", "[text]") {
  Piped out;
  Piped err;
  RunOutput x{{true, true, false}, out.file, err.file};
  x.output(0, false, "half a ");
  x.output(1, false, "one\ntwo\nthr");
  CHECK(out.take() == "[1] one\n[1] two\n");
  x.output(0, true, "oops\n");
  CHECK(err.take() == "[0] oops\n");
  x.output(0, false, "line\n\n");
  CHECK(out.take() == "[0] half a line\n[0] \n");
  CHECK(x.finish({}));
  CHECK(out.take() == "[1] thr\n");
  CHECK(x.finish({}));
  CHECK(out.take().empty());
}

TEST_CASE("with labels, a line that does not end is not kept for ever",
          "[text]") {
  Piped out;
  Piped err;
  RunOutput x{{true, true, false}, out.file, err.file};
  const std::string part(40'000, 'x');
  x.output(0, false, part);
  CHECK(out.take().empty());
  x.output(0, false, part);
  CHECK(out.take() == "[0] " + part + part + "\n");
}

TEST_CASE("what is not UTF-8 is JSON all the same, and nothing of it is lost",
          "[text]") {
  Piped out;
  Piped err;
  RunOutput x{{false, false, true}, out.file, err.file};
  x.output(0, false, "a\xff");
  CHECK(
      out.take()
      == R"({"event":"output","index":0,"standard_error":false,"data_base64":"Yf8=","data":"a)"
         "\xef\xbf\xbd\"}\n");
}

TEST_CASE("as JSON, everything is one object a line", "[text]") {
  Piped out;
  Piped err;
  RunOutput x{{false, false, true}, out.file, err.file};
  x.news(ApplicationConnected{AppId{"app-1"}});
  x.output(2, true, "a\nb");
  CHECK(x.finish({EndReason::removed, 3, "instance 2 failed"}));
  CHECK(out.take() ==
        R"({"event":"registered","app_id":"app-1"}
{"event":"output","index":2,"standard_error":true,"data":"a\nb"}
{"event":"ended","exit_status":3,"error":"instance 2 failed"}
)");
}

TEST_CASE("what cannot be written is an error, once", "[text]") {
  std::signal(SIGPIPE, SIG_IGN);
  Piped out;
  Piped err;
  RunOutput x{{false, true, false}, out.file, err.file};
  std::vector<std::string> errors;
  x.on_error = [&](const std::string& why) { errors.push_back(why); };
  x.output(0, false, "read\n");
  CHECK(errors.empty());
  CHECK_NOTHROW(require_written(out.file));
  out.close_reader();
  x.output(0, false, "not read\n");
  x.output(0, false, "not read\n");
  CHECK(errors == std::vector<std::string>{"its output was closed"});
}

TEST_CASE("that nobody reads any more is no error to talk of, and a full disk "
          "is",
          "[text]") {
  auto end_of = [](OutputFile& file) {
    file.write("x");
    try {
      require_written(file);
    } catch (const CommandError& e) {
      return std::to_string(e.exit_code()) + ' ' + e.what();
    }
    return std::string{"written"};
  };
  std::signal(SIGPIPE, SIG_IGN);
  Piped pipe;
  CHECK(end_of(pipe.file) == "written");
  pipe.close_reader();
  CHECK(end_of(pipe.file) == "141 ");
  auto full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  OutputFile disk{full};
  CHECK(end_of(disk)
        == "1 cannot write to standard output: No space left on device");
  ::close(full);
}

TEST_CASE("a reader that does not read is waited for, until that is enough",
          "[text]") {
  auto ends = open_pipe(0);
  auto asked = 0;
  OutputFile file{ends[1], [&] { return ++asked < 2; }};
  // More than any pipe holds.
  CHECK_FALSE(file.write(std::string(16 * 1024 * 1024, 'x')));
  CHECK(asked == 2);
  CHECK(file.error() == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a stream into a file that cannot be written is told why", "[text]") {
  auto full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  OutputFile file{full};
  OutputFileBuffer buffer{file};
  std::ostream stream{&buffer};
  stream << "something" << std::flush;
  CHECK_FALSE(stream);
  CHECK(file.error() == ENOSPC);
  ::close(full);
}
