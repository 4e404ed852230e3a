// A task has ended when nothing of it is left, whatever its program did to leave
// something.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "process/process_tree.hpp"
#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

constexpr std::size_t stubborn_processes = 4;

/// Gone, and not even a dead process is left here.
bool are_gone(const std::vector<pid_t>& pids) {
  return std::none_of(pids.begin(), pids.end(), [](pid_t pid) {
    return process::read_process(pid).has_value();
  });
}

TaskProgram stubborn(const ProcessDirectory& directory) {
  auto result = test_program({"stubborn", directory.pids()});
  result.kill_grace = 100ms;
  return result;
}

} // namespace

TEST_CASE("a child that a program leaves is ended, and its exit code counts") {
  ProcessDirectory directory;
  Tasks tasks;
  auto end = tasks.run(test_program({"leave_child", directory.pids()}));
  CHECK(end.outcome == TaskOutcome{Exited{7}});
  CHECK(are_gone(await_pids(directory.pids(), 1)));
}

TEST_CASE("a daemon that a program leaves is ended") {
  ProcessDirectory directory;
  Tasks tasks;
  auto x = test_program({"leave_daemon", directory.pids()});
  // It has the output open, which the task does not wait for.
  auto output = collect(x);
  CHECK(succeeded(tasks.run(std::move(x))));
  CHECK(are_gone(await_pids(directory.pids(), 1)));
}

TEST_CASE("a daemon without its environment is ended") {
  ProcessDirectory directory;
  Tasks tasks;
  CHECK(succeeded(
      tasks.run(test_program({"leave_daemon", directory.pids(), "bare"}))));
  CHECK(are_gone(await_pids(directory.pids(), 1)));
}

TEST_CASE("a daemon without its environment is ended with the last task that "
          "can have left it") {
  ProcessDirectory directory;
  ProcessDirectory other;
  Tasks tasks{{.slots = 2}};
  auto companion
      = test_program({"close_input", other.pids(), other.path("go")});
  auto second = tasks.add(std::move(companion));
  await_pids(other.pids(), 1);
  auto first
      = tasks.add(test_program({"leave_daemon", directory.pids(), "bare"}));
  CHECK(succeeded(tasks.await(first)));
  auto daemon = await_pids(directory.pids(), 1);
  CHECK_FALSE(has_ended(daemon.front()));
  other.write("go", "");
  CHECK(succeeded(tasks.await(second)));
  CHECK(are_gone(daemon));
}

TEST_CASE("what another task leaves meanwhile is left alone") {
  ProcessDirectory directory;
  Tasks tasks{{.slots = 2}};
  auto long_one = tasks.add(stubborn(directory));
  auto pids = await_pids(directory.pids(), stubborn_processes);
  for (int i = 0; i < 20; ++i)
    CHECK(succeeded(tasks.run(program({"true"}))));
  CHECK(std::none_of(pids.begin(), pids.end(), has_ended));
  tasks.slots().kill(long_one, "enough");
  CHECK(tasks.await(long_one).outcome == TaskOutcome{Killed{"enough"}});
  CHECK(are_gone(pids));
}

TEST_CASE("children of the executor itself are left alone") {
  auto bystander = ::fork();
  if (bystander == 0) {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "sleep", nullptr);
    ::_exit(127);
  }
  {
    Tasks tasks;
    ProcessDirectory directory;
    tasks.run(test_program({"leave_child", directory.pids()}));
    CHECK_FALSE(has_ended(bystander));
  }
  ::kill(bystander, SIGKILL);
  int status = 0;
  CHECK(::waitpid(bystander, &status, 0) == bystander);
}

TEST_CASE("a kill ends the whole tree, and repeating it changes nothing") {
  ProcessDirectory directory;
  Tasks tasks;
  auto task = tasks.add(stubborn(directory));
  auto pids = await_pids(directory.pids(), stubborn_processes);
  CHECK(tasks.slots().kill(task, "another attempt was faster"));
  tasks.slots().kill(task, "again");
  auto end = tasks.await(task);
  CHECK(end.outcome == TaskOutcome{Killed{"another attempt was faster"}});
  CHECK(are_gone(pids));
  CHECK_FALSE(tasks.slots().kill(task, "late"));
  CHECK(tasks.ends_of(task) == 1);
}

TEST_CASE("a program that is killed has time to say goodbye") {
  ProcessDirectory directory;
  Tasks tasks;
  auto x = test_program({"say_goodbye", directory.pids()});
  x.kill_grace = patience;
  auto task = tasks.add(std::move(x));
  await_pids(directory.pids(), 1);
  tasks.slots().kill(task, "enough");
  auto end = tasks.await(task);
  CHECK(end.outcome == TaskOutcome{Killed{"enough"}});
  CHECK(end.last_errors == "goodbye\n");
}

TEST_CASE("a stopped program is killed") {
  Tasks tasks;
  auto task = tasks.add(shell("kill -STOP $$"));
  tasks.await_start(task);
  tasks.slots().kill(task, "enough");
  CHECK(tasks.await(task).outcome == TaskOutcome{Killed{"enough"}});
}

TEST_CASE("a program that forks all the time is killed") {
  Tasks tasks;
  auto task = tasks.add(shell("while :; do (sleep 0.01 &) done"));
  tasks.await_start(task);
  tasks.slots().kill(task, "enough");
  CHECK(tasks.await(task).outcome == TaskOutcome{Killed{"enough"}});
  CHECK(processes_left() == "");
}

TEST_CASE("kills at any moment leave nothing") {
  Tasks tasks{{.slots = 4}};
  for (int i = 0; i < 200; ++i) {
    auto task = tasks.add(shell("sleep 60 & sleep 60"));
    if (i % 4 == 0)
      tasks.await_start(task);
    CHECK(tasks.slots().kill(task, "enough"));
    if (i % 8 == 0)
      CHECK(tasks.await(task).outcome == TaskOutcome{Killed{"enough"}});
  }
  tasks.slots().stop("done");
  CHECK(processes_left() == "");
}

TEST_CASE("dead processes that a program leaves are reaped while it runs") {
  ProcessDirectory directory;
  Tasks tasks;
  auto task = tasks.add(
      test_program({"leave_dead", directory.pids(), directory.path("go")}));
  auto pids = await_pids(directory.pids(), 50);
  CHECK(eventually([&] { return are_gone(pids); }));
  directory.write("go", "");
  CHECK(succeeded(tasks.await(task)));
}

TEST_CASE("no program outlives an executor that is killed") {
  ProcessDirectory directory;
  auto executor = ::fork();
  if (executor == 0) {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "executor", directory.pids().c_str(),
            nullptr);
    ::_exit(127);
  }
  auto pids = await_pids(directory.pids(), stubborn_processes);
  auto is_program = [&](pid_t pid) {
    auto entry = process::read_process(pid);
    return entry && entry->parent == executor && entry->session == pid
           && !entry->dead;
  };
  // The daemon has the executor as its parent as well, but not in a session of its own.
  auto program = std::find_if(pids.begin(), pids.end(), is_program);
  REQUIRE(program != pids.end());
  ::kill(executor, SIGKILL);
  ::waitpid(executor, nullptr, 0);
  CHECK(eventually([&] { return has_ended(*program); }));
}

TEST_CASE("thousands of tasks leave no descriptor, process or memory") {
  Tasks tasks{{.slots = 2, .queue_max = 4'000}};
  auto run = [&](int count) {
    std::vector<TaskAttempt> all;
    for (int i = 0; i < count; ++i) {
      auto x = shell("read x; echo $x");
      x.input = std::make_unique<TextInput>("a line\n");
      auto output = collect(x);
      all.push_back(tasks.add(std::move(x)));
    }
    return std::all_of(all.begin(), all.end(), [&](const TaskAttempt& x) {
      return succeeded(tasks.await(x));
    });
  };
  auto resident_kb = [] {
    std::ifstream in{"/proc/self/statm"};
    long size = 0;
    long resident = 0;
    in >> size >> resident;
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
  };
  CHECK(run(200));
  auto descriptors = open_descriptors();
  auto before = resident_kb();
  CHECK(run(2'000));
  CHECK(open_descriptors() == descriptors);
  CHECK(processes_left() == "");
#if !defined(STOKER_SANITIZED)
  // What the test itself notes of each task included.
  CHECK(resident_kb() - before < 4'000);
#else
  static_cast<void>(before);
#endif
}
