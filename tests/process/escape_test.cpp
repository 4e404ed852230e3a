// Programs that try to get away: they hide a child, and kill both of their keepers. The
// child is ended all the same, and other children of the worker's process are not.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "process/launch_mark.hpp"
#include "process/process_tree.hpp"
#include "process/unique_fd.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

/// A child of this process that is no program's. It leaves an orphan of its own, in a
/// session of its own, as the embedding program's children may.
class Bystanders {
public:
  Bystanders() {
    auto child = ::fork();
    if (child == 0) {
      ::setsid();
      if (::fork() == 0)
        become_sleeper();
      become_sleeper();
    }
    pids_.push_back(child);
    REQUIRE(eventually([&] { return !children_of(child).empty(); }));
    pids_.push_back(children_of(child).front().id.pid);
    orphan();
  }

  ~Bystanders() {
    for (auto pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;

  [[nodiscard]] bool all_live() const {
    for (auto pid : pids_)
      if (has_ended(pid))
        return false;
    return true;
  }

private:
  [[noreturn]] static void become_sleeper() {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "sleep", nullptr);
    ::_exit(127);
  }

  void orphan() {
    auto before = children_of(::getpid());
    auto parent = ::fork();
    if (parent == 0) {
      if (::fork() == 0) {
        ::setsid();
        become_sleeper();
      }
      ::_exit(0);
    }
    ::waitpid(parent, nullptr, 0);
    for (const auto& child : children_of(::getpid()))
      if (std::none_of(before.begin(), before.end(),
                       [&](const auto& x) { return x.id == child.id; }))
        pids_.push_back(child.id.pid);
  }

  std::vector<pid_t> pids_;
};

/// Processes that make each look at all of them slow. They have ended and are not reaped.
class Crowd {
public:
  Crowd() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    holder_ = ::fork();
    if (holder_ == 0) {
      ::dup2(ends[0], STDIN_FILENO);
      ::execl(TEST_PROGRAM, TEST_PROGRAM, "crowd", "3000", nullptr);
      ::_exit(127);
    }
    ::close(ends[0]);
    until_closed_ = UniqueFd{ends[1]};
  }

  ~Crowd() {
    until_closed_.reset();
    ::waitpid(holder_, nullptr, 0);
  }

  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  [[nodiscard]] std::size_t size() const {
    return children_of(holder_).size();
  }

private:
  UniqueFd until_closed_;
  pid_t holder_ = 0;
};

LaunchSpec escaping(const TemporaryDirectory& directory,
                    const std::vector<std::string>& how) {
  std::vector<std::string> arguments{"escape", directory.path("pids")};
  arguments.insert(arguments.end(), how.begin(), how.end());
  return spec_for(directory.path("x"), std::move(arguments));
}

} // namespace

TEST_CASE("a program that kills its keepers leaves no hidden process") {
  TemporaryDirectory directory;
  Watch watch;
  Bystanders bystanders;
  std::vector<std::string> how;
  SECTION("without an environment, in a session of its own") {
  }
  SECTION("in the control group at the top") {
    how = {"cgroup"};
  }
  SECTION("with a lower limit") {
    how = {"cgroup", "limit"};
  }
  SECTION("with the lowest limit") {
    how = {"cgroup", "lowest"};
  }
  REQUIRE(watch.monitor().start("program", escaping(directory, how)));
  REQUIRE(watch.await<SupervisorLost>("program"));
  auto pids = await_pids(directory.path("pids"), 1);
  // At the report already, and without a zombie.
  for (auto pid : pids)
    CHECK_FALSE(read_process(pid));
  CHECK(watch.monitor().wait_until_empty(patience));
  CHECK(bystanders.all_live());
}

TEST_CASE("a program that forges its end leaves no hidden process") {
  TemporaryDirectory directory;
  Watch watch;
  REQUIRE(watch.monitor().start("program",
                                escaping(directory, {"cgroup", "forge"})));
  // The supervisor may have been woken to write its own state.
  REQUIRE(eventually([&] {
    auto reports = watch.reports("program");
    return !reports.empty() && !std::holds_alternative<Started>(reports.back());
  }));
  for (auto pid : await_pids(directory.path("pids"), 1))
    CHECK_FALSE(read_process(pid));
  CHECK(watch.monitor().wait_until_empty(patience));
}

TEST_CASE("a process that forks all the time does not get away") {
  TemporaryDirectory directory;
  Watch watch;
  const Crowd crowd;
  REQUIRE(eventually([&] { return crowd.size() == 3000; }));
  Bystanders bystanders;
  auto before = children_of(::getpid()).size();
  REQUIRE(watch.monitor().start(
      "program", escaping(directory, {"cgroup", "limit", "forks"})));
  REQUIRE(watch.await<SupervisorLost>("program"));
  CHECK(watch.monitor().wait_until_empty(patience));
  CHECK(children_of(::getpid()).size() == before);
  CHECK(bystanders.all_live());
}

TEST_CASE("a hidden process is ended when its program is adopted") {
  TemporaryDirectory directory;
  auto worker = ::fork();
  if (worker == 0) {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "worker", directory.path("x").c_str(),
            "60000", TEST_PROGRAM, "stubborn", directory.path("pids").c_str(),
            nullptr);
    ::_exit(127);
  }
  constexpr std::size_t stubborn_processes = 4;
  auto pids = await_pids(directory.path("pids"), stubborn_processes);
  auto state = state_in(directory.path("x"));
  // Nothing watches when the keepers die, and processes go to another parent.
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  ::kill(state.guard.pid, SIGSTOP);
  ::kill(state.supervisor.pid, SIGKILL);
  ::kill(state.guard.pid, SIGKILL);
  REQUIRE(state.mark != 0);
  for (auto pid : pids)
    if (!has_ended(pid))
      CHECK(mark_carried_by(pid) == state.mark);
  Watch watch;
  REQUIRE(watch.monitor().adopt("program", directory.path("x")));
  REQUIRE(watch.await<SupervisorLost>("program"));
  CHECK(have_ended(pids));
}

TEST_CASE("marks of launches differ and are lower than the worker's own") {
  auto own = mark_carried_by(::getpid());
  auto mark = mark_of("00000000010000000000000000000000");
  auto other = mark_of("00000000020000000000000000000000");
  CHECK(mark < own);
  CHECK(other < own);
  CHECK(mark != other);
  CHECK(mark == mark_of("00000000010000000000000000000000"));
  auto child = ::fork();
  if (child == 0) {
    carry_mark(mark);
    // That of a worker inside of a program is lower again.
    auto inner = mark_of("00000000030000000000000000000000");
    ::_exit(mark_carried_by(::getpid()) == mark && inner != 0 && inner < mark
                ? 0
                : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
