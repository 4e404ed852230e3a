// Tasks wait for slots, in order.

#include <string>
#include <thread>
#include <vector>

#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

/// A task that holds its slot until a file exists.
TaskProgram waiting_for(const std::string& file) {
  return shell("while ! test -e '" + file + "'; do sleep 0.01; done");
}

} // namespace

TEST_CASE("tasks run in the order in which they were added") {
  Tasks tasks;
  std::vector<TaskAttempt> added;
  for (int i = 0; i < 50; ++i)
    added.push_back(tasks.add(program({"true"})));
  for (const auto& task : added)
    CHECK(succeeded(tasks.await(task)));
  CHECK(tasks.started() == added);
}

TEST_CASE("as many tasks run as there are slots") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks{{.slots = 3}};
  std::vector<TaskAttempt> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(tasks.add(waiting_for(directory.path("go"))));
  for (int i = 0; i < 3; ++i)
    tasks.await_start(all[static_cast<std::size_t>(i)]);
  CHECK(tasks.slots().running() == 3);
  CHECK(tasks.slots().queued() == 2);
  directory.write("go", "");
  for (const auto& task : all)
    CHECK(succeeded(tasks.await(task)));
}

TEST_CASE("a task is refused while too many wait, and when it is here") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks{{.slots = 1, .queue_max = 2}};
  auto first = tasks.add(waiting_for(directory.path("go")));
  tasks.await_start(first);
  auto second = tasks.add(program({"true"}));
  auto code = [&](const TaskAttempt& task) {
    return tasks.slots().add(task, program({"true"})).code();
  };
  CHECK(code(first) == Errc::in_use);
  CHECK(code(second) == Errc::in_use);
  tasks.add(program({"true"}));
  CHECK(code({StageId{9}, 0, 0}) == Errc::full);
  directory.write("go", "");
  CHECK(succeeded(tasks.await(second)));
}

TEST_CASE("a task that waits is killed without having begun") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  auto first = tasks.add(waiting_for(directory.path("go")));
  auto second = tasks.add(program({"true"}));
  auto third = tasks.add(program({"true"}));
  CHECK(tasks.slots().kill(second, "not needed"));
  CHECK(tasks.await(second).outcome == TaskOutcome{Killed{"not needed"}});
  CHECK_FALSE(tasks.slots().kill(second, "not needed"));
  directory.write("go", "");
  CHECK(succeeded(tasks.await(third)));
  CHECK(tasks.started() == std::vector<TaskAttempt>{first, third});
}

TEST_CASE("tasks that wait can be taken back, the last ones first") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  auto first = tasks.add(waiting_for(directory.path("go")));
  tasks.await_start(first);
  std::vector<TaskAttempt> more;
  for (int i = 0; i < 4; ++i)
    more.push_back(tasks.add(program({"true"})));
  CHECK(tasks.slots().take_back(2)
        == std::vector<TaskAttempt>{more[3], more[2]});
  CHECK(tasks.slots().queued() == 2);
  CHECK(tasks.slots().take_back(100)
        == std::vector<TaskAttempt>{more[1], more[0]});
  CHECK(tasks.slots().take_back(1).empty());
  directory.write("go", "");
  CHECK(succeeded(tasks.await(first)));
  tasks.slots().stop("done");
  for (const auto& task : more)
    CHECK(tasks.ends_of(task) == 0);
}

TEST_CASE("stop kills what runs and what waits, and then nothing is left") {
  Tasks tasks{{.slots = 2}};
  std::vector<TaskAttempt> all;
  for (int i = 0; i < 6; ++i)
    all.push_back(tasks.add(shell("sleep 60 & sleep 60")));
  tasks.await_start(all.front());
  std::thread other{[&] { tasks.slots().stop("the application ends"); }};
  tasks.slots().stop("the application ends");
  other.join();
  CHECK(processes_left() == "");
  for (const auto& task : all) {
    CHECK(tasks.ends_of(task) == 1);
    CHECK(tasks.await(task).outcome
          == TaskOutcome{Killed{"the application ends"}});
  }
  CHECK(tasks.slots().add({}, program({"true"})).code() == Errc::not_alive);
}

TEST_CASE("many programs run at once") {
  Tasks tasks{{.slots = 50}};
  std::vector<TaskAttempt> all;
  for (int i = 0; i < 500; ++i)
    all.push_back(tasks.add(shell("exit " + std::to_string(i % 100))));
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(tasks.await(all[i]).outcome
          == TaskOutcome{Exited{static_cast<int>(i % 100)}});
}
