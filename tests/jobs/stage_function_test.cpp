// What a task does with a program that it cannot run.

#include "jobs/codec.hpp"
#include "jobs/sources.hpp"
#include "jobs/stage_function.hpp"
#include "jobs/terminals.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

/// Counts the numbers of a range.
struct CountingProgram {
  StageProgram program;
  TaskInputs inputs;

  CountingProgram() {
    program.nodes = {{registered<ReadRange>(), {}, {}, -1},
                     {registered<Count<std::int64_t>>(), {}, {0}, -1}};
    inputs.sources = {{0, 0, -1, to_bytes(RangeShare{0, 5})}};
  }

  void tell(MemoryTask& task) const {
    task.argument_bytes = to_bytes(program);
    task.launch.text = to_bytes(inputs);
  }

  [[nodiscard]] std::string error() const {
    MemoryTask task;
    tell(task);
    auto status = run_stage(task);
    return status ? "" : status.error().message;
  }
};

} // namespace

TEST_CASE("a program is run") {
  CountingProgram x;
  MemoryTask task;
  x.tell(task);
  CHECK(run_stage(task));
  CHECK(from_bytes<std::int64_t>(task.outputs[0]) == 5);
}

TEST_CASE("a function that this program does not have is named") {
  CountingProgram x;
  x.program.nodes[1].name = "map i nothing";
  CHECK(x.error()
        == "this executor does not know the function 'map int nothing': it is "
           "not "
           "the driver's program");
}

TEST_CASE("operators that do not fit together are refused") {
  CountingProgram x;
  x.program.nodes[1].name = registered<Count<std::string>>();
  CHECK(x.error().find("takes elements of another type") != std::string::npos);
  x = {};
  x.program.nodes[1].parents = {};
  CHECK(x.error().find("takes elements of another type") != std::string::npos);
  x = {};
  // Itself.
  x.program.nodes[1].parents = {1};
  CHECK(x.error() == "a stage's program is damaged");
  x = {};
  x.program.nodes.pop_back();
  CHECK(x.error() == "a stage's program is damaged");
  x = {};
  x.program.nodes.clear();
  CHECK(x.error() == "a stage's program is damaged");
}

TEST_CASE("a task that was not told what it reads fails") {
  CountingProgram x;
  x.inputs.sources.clear();
  CHECK(x.error() == "the task was not told what partition 0 of its source is");
  x = {};
  x.inputs.sources[0].data = "x";
  CHECK(x.error() == "the driver's range is damaged");
}

TEST_CASE("no damage of a program does worse than fail its task") {
  CountingProgram x;
  MemoryTask task;
  x.tell(task);
  for (auto* bytes : {&task.argument_bytes, &task.launch.text}) {
    auto whole = *bytes;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      bytes->resize(size);
      CHECK(!run_stage(task));
      *bytes = whole;
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // The end of the range apart: it would only take longer.
      if (bytes == &task.launch.text && i + 8 >= whole.size())
        continue;
      (*bytes)[i] = static_cast<char>((*bytes)[i] ^ 1);
      static_cast<void>(run_stage(task));
      *bytes = whole;
    }
  }
}
