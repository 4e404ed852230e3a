// Every way to lose a program's keepers, tried on the program that is hardest
// to end: four processes that ignore TERM, one of them in a session of its own
// and one a daemon. None of them may be left.

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process/process_tree.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

constexpr std::size_t stubborn_processes = 4;

LaunchSpec stubborn(const TemporaryDirectory& directory) {
  auto result
      = spec_for(directory.path("x"), {"stubborn", directory.path("pids")});
  result.orphan_grace = 200ms;
  return result;
}

/// A stubborn program under a monitor of this process.
struct EndingFixture {
  TemporaryDirectory directory;
  LaunchSpec spec = stubborn(directory);
  Watch watch;
  std::vector<pid_t> pids;
  State state;

  EndingFixture() {
    REQUIRE(watch.monitor().start("program", spec));
    REQUIRE(watch.await<Started>("program"));
    pids = await_pids(directory.path("pids"), stubborn_processes);
    state = state_in(spec.directory);
  }
};

/// A stubborn program under a worker process, which can be killed.
struct WorkerFixture {
  TemporaryDirectory directory;
  std::chrono::milliseconds grace = 200ms;
  pid_t worker = 0;
  std::vector<pid_t> pids;
  State state;

  WorkerFixture() {
    worker = start_worker();
    pids = await_pids(directory.path("pids"), stubborn_processes);
    REQUIRE(eventually([&] {
      state = state_in(directory.path("x"));
      return state.phase == Phase::running;
    }));
  }

  [[nodiscard]] pid_t start_worker() const {
    auto text = std::to_string(grace.count());
    auto pid = ::fork();
    if (pid == 0) {
      ::execl(TEST_PROGRAM, TEST_PROGRAM, "worker", directory.path("x").c_str(),
              text.c_str(), TEST_PROGRAM, "stubborn",
              directory.path("pids").c_str(), nullptr);
      ::_exit(127);
    }
    return pid;
  }

  /// Ends the worker, as the system does when memory is short.
  void kill_worker() const {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }

  ~WorkerFixture() {
    kill_worker();
  }

  [[nodiscard]] bool nothing_is_left() const {
    return eventually([this] {
      return have_ended(pids) && has_ended(state.supervisor.pid)
             && has_ended(state.guard.pid);
    });
  }
};

/// A program in the state of this process, which is no business of a monitor's.
pid_t start_bystander() {
  auto pid = ::fork();
  if (pid == 0) {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "sleep", nullptr);
    ::_exit(127);
  }
  return pid;
}

/// While it lives, exit(3) never returns in the guards and supervisors that start.
struct HangingExit {
  HangingExit() {
    ::setenv("STOKER_TEST_HANGS_AT_EXIT", "1", 1);
  }

  ~HangingExit() {
    ::unsetenv("STOKER_TEST_HANGS_AT_EXIT");
  }

  HangingExit(const HangingExit&) = delete;
  HangingExit& operator=(const HangingExit&) = delete;
};

} // namespace

TEST_CASE("end() ends the whole tree, and repeating it changes nothing") {
  EndingFixture x;
  for (int i = 0; i < 3; ++i)
    x.watch.monitor().end("program");
  x.watch.monitor().end("unknown");
  auto ended = x.watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGKILL, true});
  // Nothing may be left by the time of the report, and not even zombies here.
  for (auto pid : x.pids)
    CHECK_FALSE(read_process(pid));
  CHECK(x.watch.monitor().wait_until_empty(patience));
  CHECK_FALSE(read_process(x.state.supervisor.pid));
  CHECK_FALSE(read_process(x.state.guard.pid));
  CHECK(x.watch.reports("program").size() == 2);
}

TEST_CASE("a program that obeys TERM is not killed") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  spec.kill_grace = 60s;
  REQUIRE(watch.monitor().start("program", spec));
  SECTION("while it runs") {
    REQUIRE(watch.await<Started>("program"));
  }
  SECTION("before it even started") {
  }
  watch.monitor().end("program");
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGTERM, true});
}

TEST_CASE("nothing outlives the program itself") {
  TemporaryDirectory directory;
  auto ended = run(
      spec_for(directory.path("x"), {"leave_child", directory.path("pids")}));
  CHECK(without_use(ended) == Ended{7, std::nullopt, false});
  for (auto pid : await_pids(directory.path("pids"), 1))
    CHECK_FALSE(read_process(pid));
}

TEST_CASE("nothing is left when the supervisor is killed") {
  EndingFixture x;
  ::kill(x.state.supervisor.pid, SIGKILL);
  REQUIRE(x.watch.await<SupervisorLost>("program"));
  CHECK(have_ended(x.pids));
  CHECK(x.watch.monitor().wait_until_empty(patience));
  CHECK_FALSE(read_process(x.state.guard.pid));
}

TEST_CASE("a supervisor or guard that hangs does not keep a program alive") {
  TemporaryDirectory directory;
  MonitorConfig config{TEST_PROGRAM};
  config.hang_patience = 100ms;
  Watch watch{config};
  REQUIRE(watch.monitor().start("program", stubborn(directory)));
  REQUIRE(watch.await<Started>("program"));
  auto pids = await_pids(directory.path("pids"), stubborn_processes);
  auto state = state_in(directory.path("x"));
  SECTION("the supervisor") {
    ::kill(state.supervisor.pid, SIGSTOP);
    watch.monitor().end("program");
    REQUIRE(watch.await<SupervisorLost>("program"));
  }
  SECTION("both") {
    ::kill(state.supervisor.pid, SIGSTOP);
    ::kill(state.guard.pid, SIGSTOP);
    watch.monitor().end("program");
    REQUIRE(watch.await<SupervisorLost>("program"));
  }
  SECTION("the guard") {
    ::kill(state.guard.pid, SIGSTOP);
    watch.monitor().end_all();
    REQUIRE(watch.await<Ended>("program"));
  }
  CHECK(have_ended(pids));
  CHECK(watch.monitor().wait_until_empty(patience));
  CHECK(has_ended(state.supervisor.pid));
  CHECK(has_ended(state.guard.pid));
}

TEST_CASE("a supervisor that only waits for its program is not killed") {
  TemporaryDirectory directory;
  MonitorConfig config{TEST_PROGRAM};
  config.hang_patience = 2s;
  Watch watch{config};
  auto spec = stubborn(directory);
  spec.kill_grace = 5s;
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  await_pids(directory.path("pids"), stubborn_processes);
  watch.monitor().end("program");
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGKILL, true});
}

TEST_CASE("nothing is left when the guard is killed") {
  EndingFixture x;
  ::kill(x.state.guard.pid, SIGKILL);
  REQUIRE(x.watch.await<SupervisorLost>("program"));
  CHECK(have_ended(x.pids));
  CHECK(x.watch.monitor().wait_until_empty(patience));
  CHECK(has_ended(x.state.supervisor.pid));
}

TEST_CASE("the monitor ends what both supervisor and guard left behind") {
  EndingFixture x;
  auto bystander = start_bystander();
  SECTION("at once") {
    ::kill(x.state.guard.pid, SIGKILL);
    ::kill(x.state.supervisor.pid, SIGKILL);
  }
  SECTION("the supervisor first") {
    ::kill(x.state.supervisor.pid, SIGKILL);
    ::kill(x.state.guard.pid, SIGKILL);
  }
  SECTION("while both are stopped") {
    ::kill(x.state.supervisor.pid, SIGSTOP);
    ::kill(x.state.guard.pid, SIGSTOP);
    ::kill(x.state.guard.pid, SIGKILL);
    ::kill(x.state.supervisor.pid, SIGKILL);
  }
  REQUIRE(x.watch.await<SupervisorLost>("program"));
  CHECK(have_ended(x.pids));
  CHECK(x.watch.monitor().wait_until_empty(patience));
  // The supervisor came to this process when its guard died, so it is a child
  // to reap as well.
  for (auto pid : x.pids)
    CHECK_FALSE(read_process(pid));
  CHECK_FALSE(has_ended(bystander));
  ::kill(bystander, SIGKILL);
  CHECK(::waitpid(bystander, nullptr, 0) == bystander);
}

TEST_CASE("nothing is left when the worker is killed") {
  WorkerFixture x;
  x.kill_worker();
  CHECK(x.nothing_is_left());
  // What happened is still known.
  auto state = state_in(x.directory.path("x"));
  CHECK(state.phase == Phase::ended);
  CHECK_FALSE(state.requested);
}

TEST_CASE("nothing is left when worker and supervisor are killed") {
  WorkerFixture x;
  ::kill(x.state.supervisor.pid, SIGKILL);
  x.kill_worker();
  CHECK(x.nothing_is_left());
}

TEST_CASE("nothing is left when worker and guard are killed") {
  WorkerFixture x;
  x.kill_worker();
  ::kill(x.state.guard.pid, SIGKILL);
  CHECK(x.nothing_is_left());
}

TEST_CASE("an orphan is ended in time") {
  WorkerFixture x;
  auto before = std::chrono::steady_clock::now();
  x.kill_worker();
  REQUIRE(x.nothing_is_left());
  auto took = std::chrono::steady_clock::now() - before;
  CHECK(took >= x.grace);
  // Less than who is not told its grace would wait.
  CHECK(took < LaunchSpec{}.orphan_grace);
}

TEST_CASE("a signal to supervisor or guard ends the program in good order") {
  EndingFixture x;
  SECTION("supervisor") {
    ::kill(x.state.supervisor.pid, SIGTERM);
  }
  SECTION("guard") {
    ::kill(x.state.guard.pid, SIGHUP);
  }
  auto ended = x.watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGKILL, false});
  CHECK(have_ended(x.pids));
  CHECK(x.watch.monitor().wait_until_empty(patience));
}

TEST_CASE("guard and supervisor exit without the handlers of exit(3)") {
  HangingExit hanging;
  EndingFixture x;
  ::kill(x.state.supervisor.pid, SIGTERM);
  REQUIRE(x.watch.await<Ended>("program"));
  CHECK(x.watch.monitor().wait_until_empty(patience));
}

TEST_CASE("supervisor and guard look different to pkill") {
  EndingFixture x;
  auto command_line = [](pid_t pid) {
    std::ifstream in{"/proc/" + std::to_string(pid) + "/cmdline"};
    std::string result;
    std::getline(in, result, '\0');
    return result;
  };
  auto name = [](pid_t pid) {
    std::ifstream in{"/proc/" + std::to_string(pid) + "/comm"};
    std::string result;
    std::getline(in, result);
    return result;
  };
  CHECK(command_line(x.state.supervisor.pid) == "stoker supervise a test");
  CHECK(name(x.state.supervisor.pid) == "stoker");
  CHECK(command_line(x.state.guard.pid) == "executor-guard a test");
  CHECK(name(x.state.guard.pid) == "executor-guard");
}
