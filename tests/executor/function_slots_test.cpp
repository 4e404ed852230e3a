// Functions wait for slots, run, and are told to end: executor/function_slots.hpp.

#include "executor/function_slots.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stop_token>

#include "tests/executor/functions.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

/// A function that runs until somebody lets it go.
class Gate {
public:
  /// Also returns when it is told to stop.
  TaskFunction until_told() {
    return wait(true);
  }
  TaskFunction deaf() {
    return wait(false);
  }

  /// Waits until so many are in it.
  void await(int count) const {
    REQUIRE(eventually([&] { return entered_ >= count; }));
  }

  void open() {
    is_open_ = true;
    is_open_.notify_all();
  }

private:
  TaskFunction wait(bool listens) {
    return [this, listens](FunctionTask& task) -> Status {
      std::stop_callback callback{task.stop_token(), [this, listens] {
                                    if (listens)
                                      open();
                                  }};
      ++entered_;
      is_open_.wait(false);
      return {};
    };
  }

  std::atomic<int> entered_ = 0;
  std::atomic<bool> is_open_ = false;
};

Status return_at_once(FunctionTask&) {
  return {};
}

Status is_told_to_end(FunctionTask& task) {
  return task.write(0, task.stop_token().stop_requested() ? "yes" : "no");
}

} // namespace

TEST_CASE("functions run in the order in which they were added") {
  Functions functions{{{"nothing", return_at_once}}};
  auto stage = functions.stage("nothing");
  std::vector<TaskAttempt> added;
  for (int i = 0; i < 100; ++i)
    added.push_back(functions.add(stage, i));
  functions.await(added.back());
  CHECK(functions.ended() == added);
}

TEST_CASE("as many functions run as there are slots, and no thread starts "
          "before it is needed") {
  Gate gate;
  Functions functions{{{"wait", gate.until_told()}}, 3};
  auto before = thread_count();
  auto stage = functions.stage("wait");
  auto first = functions.add(stage, 0);
  gate.await(1);
  CHECK(thread_count() == before + 1);
  CHECK_FALSE(functions.slots().is_idle());
  for (int i = 1; i < 5; ++i)
    functions.add(stage, i);
  gate.await(3);
  CHECK(thread_count() == before + 3);
  CHECK(functions.slots().take_back(9)
        == std::vector<TaskAttempt>{{stage.stage, 4, 0}, {stage.stage, 3, 0}});
  gate.open();
  CHECK(functions.await(first).state == TaskState::FINISHED);
  CHECK(eventually([&] { return functions.slots().is_idle(); }));
}

TEST_CASE("a function that waits is killed without having begun") {
  Gate gate;
  Functions functions{{{"wait", gate.until_told()}}};
  auto stage = functions.stage("wait");
  auto first = functions.add(stage, 0);
  auto second = functions.add(stage, 1);
  gate.await(1);
  CHECK(functions.slots().kill(second));
  CHECK(functions.await(second).state == TaskState::KILLED);
  CHECK_FALSE(functions.slots().kill(second));
  gate.open();
  CHECK(functions.await(first).state == TaskState::FINISHED);
}

TEST_CASE("a function that runs is told to end, has ended as killed when it "
          "returns, and the next one is not told") {
  Gate gate;
  Functions functions{
      {{"wait", gate.until_told()}, {"is told", is_told_to_end}}};
  auto first = functions.add(functions.stage("wait"));
  auto second = functions.add(functions.stage("is told"));
  gate.await(1);
  CHECK(functions.slots().kill(first));
  CHECK(functions.await(first).state == TaskState::KILLED);
  CHECK(functions.await(second).result == "no");
}

TEST_CASE("what a killed function wrote does not count") {
  Gate gate;
  auto wait = gate.until_told();
  Functions functions{{{"write", [&](FunctionTask& task) -> Status {
                          auto written = task.write(0, "something");
                          return written ? wait(task) : written;
                        }}}};
  auto task
      = functions.add(functions.stage("write", TaskOutputKind::output), 0);
  gate.await(1);
  CHECK(functions.slots().kill(task));
  auto status = functions.await(task);
  CHECK(status.state == TaskState::KILLED);
  CHECK_FALSE(status.result);
  for (const auto& file :
       std::filesystem::directory_iterator{functions.output_directory()})
    CHECK(file.path().extension() != ".data");
}

TEST_CASE("stop waits for functions that return when they are told to") {
  Gate gate;
  Functions functions{{{"wait", gate.until_told()}}, 2};
  auto stage = functions.stage("wait");
  for (int i = 0; i < 5; ++i)
    functions.add(stage, i);
  gate.await(2);
  auto before = thread_count();
  CHECK(functions.slots().stop(patience));
  CHECK(thread_count() == before - 2);
  CHECK(functions.ended().empty());
  // Nothing begins any more.
  functions.add(stage, 7);
  CHECK(functions.slots().is_idle());
}

TEST_CASE("stop gives up a function that does not return") {
  Gate gate;
  Functions functions{{{"deaf", gate.deaf()}}};
  auto before = thread_count();
  functions.add(functions.stage("deaf"));
  gate.await(1);
  CHECK_FALSE(functions.slots().stop(1ms));
  gate.open();
  CHECK(eventually([&] { return thread_count() == before; }));
}

TEST_CASE("many functions run on several slots, each once") {
  constexpr int count = 20'000;
  std::vector<std::atomic<int>> runs(count);
  Functions functions{{{"count",
                        [&](FunctionTask& task) -> Status {
                          ++runs[static_cast<std::size_t>(task.id().task)];
                          return {};
                        }}},
                      4};
  auto stage = std::make_shared<const DescribeStage>(functions.stage("count"));
  for (int begin = 0; begin < count; begin += 100) {
    std::vector<FunctionLaunch> launches;
    for (int i = begin; i < begin + 100; ++i)
      launches.push_back({stage, {{stage->stage, i, 0}, {}, {}}});
    functions.add(std::move(launches));
  }
  REQUIRE(eventually([&] { return functions.ended().size() == count; }));
  CHECK(std::all_of(runs.begin(), runs.end(),
                    [](const auto& x) { return x == 1; }));
}
