// Keepers of a program that are stopped, as by SIGSTOP, at any moment of its life. Nothing
// may be left, and the program's directory can be used again.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "process/directory.hpp"
#include "process/process_tree.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

MonitorConfig impatient() {
  MonitorConfig result{TEST_PROGRAM};
  result.hang_patience = 50ms;
  return result;
}

/// Which of the keepers are stopped.
struct Stopped {
  bool guard = false;
  bool supervisor = false;
};

constexpr Stopped choices[] = {{false, true}, {true, false}, {true, true}};

/// Stops those of the only guard of this process that are there.
void stop(const Stopped& who) {
  for (const auto& guard : children_of(::getpid())) {
    // First, so that the supervisor does not get away.
    if (who.guard)
      send_signal(guard.id, SIGSTOP);
    if (who.supervisor)
      for (const auto& supervisor : children_of(guard.id.pid))
        send_signal(supervisor.id, SIGSTOP);
  }
}

/// Children that other tests have left behind.
void reap_others() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0)
    ;
}

bool has_last_report(Watch& watch, const std::string& key) {
  return eventually([&] {
    auto reports = watch.reports(key);
    return std::any_of(reports.begin(), reports.end(), [](const Report& x) {
      return !std::holds_alternative<Started>(x);
    });
  });
}

void check_that_nothing_is_left(Watch& watch, const std::string& directory) {
  CHECK(watch.monitor().wait_until_empty(patience));
  CHECK(children_of(::getpid()).empty());
  auto opened = Directory::open(directory);
  REQUIRE(std::holds_alternative<Directory>(opened));
  CHECK(std::get<Directory>(opened).lock());
}

} // namespace

TEST_CASE("a program that stops its supervisor at once is ended") {
  reap_others();
  TemporaryDirectory directory;
  Watch watch{impatient()};
  auto spec = spec_for(directory.path("x"), {"stop_supervisor"});
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(eventually([&] {
    auto guards = children_of(::getpid());
    auto supervisors = guards.empty() ? std::vector<ProcessEntry>{}
                                      : children_of(guards.front().id.pid);
    return !supervisors.empty() && supervisors.front().stopped;
  }));
  watch.monitor().end("program");
  REQUIRE(has_last_report(watch, "program"));
  check_that_nothing_is_left(watch, spec.directory);
}

TEST_CASE("a program is ended when both of its keepers are stopped") {
  reap_others();
  TemporaryDirectory directory;
  Watch watch{impatient()};
  auto spec = spec_for(directory.path("x"), {"sleep"});
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  stop({true, true});
  REQUIRE(has_last_report(watch, "program"));
  check_that_nothing_is_left(watch, spec.directory);
}

TEST_CASE("keepers that are stopped on their way are ended") {
  reap_others();
  // From before the guard runs to after the program does.
  constexpr int moments = 24;
  constexpr int looks_a_step = 20;
  for (const auto& who : choices)
    for (int i = 0; i < moments; ++i) {
      CAPTURE(who.guard, who.supervisor, i);
      TemporaryDirectory directory;
      Watch watch{impatient()};
      auto spec = spec_for(directory.path("x"), {"sleep"});
      REQUIRE(watch.monitor().start("program", spec));
      for (int looks = 0; looks < i * looks_a_step; ++looks)
        static_cast<void>(children_of(::getpid()));
      stop(who);
      watch.monitor().end("program");
      REQUIRE(has_last_report(watch, "program"));
      check_that_nothing_is_left(watch, spec.directory);
    }
}

TEST_CASE("keepers that are stopped while their program ends are ended") {
  reap_others();
  for (const auto& who : choices) {
    CAPTURE(who.guard, who.supervisor);
    TemporaryDirectory directory;
    Watch watch{impatient()};
    auto spec
        = spec_for(directory.path("x"), {"stubborn", directory.path("pids")});
    spec.kill_grace = 60s;
    REQUIRE(watch.monitor().start("program", spec));
    auto pids = await_pids(directory.path("pids"), 4);
    watch.monitor().end("program");
    stop(who);
    // A guard that is stopped does not keep a supervisor from its work.
    if (!who.supervisor)
      for (auto pid : pids)
        ::kill(pid, SIGKILL);
    REQUIRE(has_last_report(watch, "program"));
    CHECK(have_ended(pids));
    check_that_nothing_is_left(watch, spec.directory);
  }
}

TEST_CASE("a supervisor that is stopped when its guard dies is ended") {
  reap_others();
  TemporaryDirectory directory;
  Watch watch{impatient()};
  auto spec
      = spec_for(directory.path("x"), {"stubborn", directory.path("pids")});
  REQUIRE(watch.monitor().start("program", spec));
  auto pids = await_pids(directory.path("pids"), 4);
  auto state = state_in(spec.directory);
  ::kill(state.supervisor.pid, SIGSTOP);
  ::kill(state.guard.pid, SIGKILL);
  REQUIRE(watch.await<SupervisorLost>("program"));
  CHECK(have_ended(pids));
  check_that_nothing_is_left(watch, spec.directory);
}

TEST_CASE("a guard kills a supervisor that stays stopped") {
  reap_others();
  TemporaryDirectory directory;
  Watch watch;
  auto spec
      = spec_for(directory.path("x"), {"stubborn", directory.path("pids")});
  spec.stop_grace = 100ms;
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  auto pids = await_pids(directory.path("pids"), 4);
  auto state = state_in(spec.directory);
  ::kill(state.supervisor.pid, SIGSTOP);
  // Nothing was asked to end.
  REQUIRE(watch.await<SupervisorLost>("program"));
  CHECK(have_ended(pids));
  check_that_nothing_is_left(watch, spec.directory);
}

TEST_CASE("a supervisor that continues in time is not killed") {
  reap_others();
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  spec.stop_grace = 60s;
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  auto state = state_in(spec.directory);
  ::kill(state.supervisor.pid, SIGSTOP);
  REQUIRE(
      eventually([&] { return read_process(state.supervisor.pid)->stopped; }));
  ::kill(state.supervisor.pid, SIGCONT);
  watch.monitor().end("program");
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGTERM, true});
}
