// What functions that are tasks read and write: executor/task_function.hpp.

#include "executor/task_function.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>

#include "executor/part_file.hpp"
#include "tests/executor/functions.hpp"
#include "tests/executor/support.hpp"
#include "tests/support/skip.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

namespace fs = std::filesystem;

Status nothing(FunctionTask&) {
  return {};
}

Status something_else(FunctionTask&) {
  return {};
}

/// Writes its text to the partition of its own number.
Status to_own_partition(FunctionTask& task) {
  return task.write(task.id().task, task.text());
}

/// Writes all that it reads.
Status copy(FunctionTask& task) {
  return task.read(
      0, [&](std::string_view bytes) { return task.write(0, bytes); });
}

Status large_result(FunctionTask& task) {
  for (int i = 0; i < 100'000; ++i)
    if (auto written = task.write(0, std::to_string(i) + '\n'); !written)
      return written;
  return {};
}

std::string contents_of(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("a name has one function") {
  TaskFunctions functions;
  CHECK(functions.add("a", nothing));
  // Two sources of a program may both name it.
  CHECK(functions.add("a", nothing));
  CHECK(functions.add("a", something_else).code() == Errc::in_use);
  CHECK(functions.add("a", [](FunctionTask&) { return Status{}; }).code()
        == Errc::in_use);
  CHECK(functions.find("a") != nullptr);
  CHECK(functions.find("b") == nullptr);
}

TEST_CASE("a function knows its task, and what it writes is its result") {
  Functions functions{{{"say", [](FunctionTask& task) -> Status {
                          return task.write(0, to_string(task.id()) + ", "
                                                   + task.argument() + ", "
                                                   + task.text());
                        }}}};
  auto stage = functions.stage("say");
  auto status = functions.run(stage, 5, std::string{"te\0xt", 5});
  CHECK(status.state == TaskState::FINISHED);
  CHECK(status.result
        == std::string{"stage 0 task 5 attempt 0, argument, te\0xt", 41});
  CHECK(status.bytes_written == 41);
  CHECK(status.bytes_read == 0);
}

TEST_CASE("a function has its cores' share of the executor's memory") {
  Functions functions{{{"ask", [](FunctionTask& task) -> Status {
                          return task.write(
                              0, std::to_string(task.memory_bytes() >> 20) + " "
                                     + task.scratch_directory());
                        }}}};
  auto megabytes = [&](int cores) {
    auto stage = functions.stage("ask");
    stage.cores = cores;
    return functions.run(stage).result;
  };
  // Of 600 MB for 4 cores.
  CHECK(megabytes(1) == "150 " + functions.path(""));
  CHECK(megabytes(3) == "450 " + functions.path(""));
  CHECK(megabytes(8) == "600 " + functions.path(""));
}

TEST_CASE("what a function's thread has used is told") {
  Functions functions{{{"count", [](FunctionTask& task) -> Status {
                          auto end = std::chrono::steady_clock::now()
                                     + std::chrono::milliseconds{100};
                          std::uint64_t rounds = 0;
                          while (std::chrono::steady_clock::now() < end)
                            ++rounds;
                          return task.write(0, std::to_string(rounds));
                        }}}};
  auto stage = functions.stage("count");
  auto status = functions.run(stage);
  CHECK(status.cpu_ms > 0);
  CHECK(status.cpu_ms <= status.run_ms);
}

TEST_CASE("a result without bytes is an empty one") {
  Functions functions{{{"nothing", nothing}}};
  auto status = functions.run(functions.stage("nothing"));
  CHECK(status.state == TaskState::FINISHED);
  CHECK(status.result == "");
  CHECK_FALSE(status.result_is_stored);
}

TEST_CASE("a large result becomes an output") {
  Functions functions{{{"large", large_result}}};
  auto status = functions.run(functions.stage("large"));
  CHECK(status.state == TaskState::FINISHED);
  CHECK_FALSE(status.result);
  CHECK(status.result_is_stored);
  auto contents = functions.contents(status.id, {0, 1});
  CHECK(contents.starts_with("0\n1\n"));
  CHECK(contents.ends_with("\n99999\n"));
  CHECK(contents.size() == static_cast<std::size_t>(status.bytes_written));
}

TEST_CASE("what functions write to partitions, others read") {
  Functions functions{{{"write", to_own_partition}, {"copy", copy}}};
  auto writing = functions.stage("write", TaskOutputKind::output);
  for (int i = 0; i < 3; ++i)
    CHECK(functions
              .run(writing, i, std::string(100'000, static_cast<char>('a' + i)))
              .state
          == TaskState::FINISHED);
  functions.written(writing.stage, 3);
  for (auto kind : {DependencyKind::shuffle, DependencyKind::narrow}) {
    auto reading = functions.stage("copy", TaskOutputKind::result,
                                   {{writing.stage, kind}});
    auto status = functions.run(reading, 1);
    CHECK(status.error == "");
    CHECK(status.bytes_read == 100'000);
    CHECK(functions.contents(status.id, {0, 1}) == std::string(100'000, 'b'));
  }
}

TEST_CASE("a function reads partitions of other numbers than its own") {
  Functions functions{{{"write", to_own_partition},
                       {"copy all", [](FunctionTask& task) {
                          Status result;
                          for (auto i = 2; result && i >= 0; --i)
                            result
                                = task.read(0, i, [&](std::string_view bytes) {
                                    return task.write(0, bytes);
                                  });
                          return result;
                        }}}};
  auto writing = functions.stage("write", TaskOutputKind::output);
  for (int i = 0; i < 3; ++i)
    CHECK(functions.run(writing, i, std::string(2, static_cast<char>('a' + i)))
              .state
          == TaskState::FINISHED);
  functions.written(writing.stage, 3);
  auto reading = functions.stage("copy all", TaskOutputKind::result,
                                 {{writing.stage, DependencyKind::shuffle}});
  CHECK(functions.run(reading, 7).result == "ccbbaa");
  auto narrow = functions.stage("copy all", TaskOutputKind::result,
                                {{writing.stage, DependencyKind::narrow}});
  auto refused = functions.run(narrow, 1);
  CHECK(refused.state == TaskState::FAILED);
  CHECK(refused.error.find("there is no partition 2 of dependency 0")
        != std::string::npos);
}

TEST_CASE("an output without bytes can be read") {
  Functions functions{{{"nothing", nothing}, {"copy", copy}}};
  auto writing = functions.stage("nothing", TaskOutputKind::output);
  CHECK(functions.run(writing).state == TaskState::FINISHED);
  functions.written(writing.stage, 1);
  auto reading = functions.stage("copy", TaskOutputKind::result,
                                 {{writing.stage, DependencyKind::shuffle}});
  CHECK(functions.run(reading, 2).result == "");
}

TEST_CASE("a part gets its name from the driver, also one without bytes") {
  Functions functions{{{"nothing", nothing}, {"write", [](FunctionTask& task) {
                                                return task.write(0,
                                                                  "some bytes");
                                              }}}};
  for (const auto* name : {"write", "nothing"}) {
    auto stage = functions.stage(name, TaskOutputKind::file);
    auto status = functions.run(stage);
    CHECK(status.state == TaskState::FINISHED);
    auto file = functions.path("part-00000");
    fs::remove(file);
    REQUIRE(commit_part(stage.directory, 0, status.id));
    CHECK(contents_of(file) == (stage.name == "write" ? "some bytes" : ""));
  }
}

TEST_CASE("a function that fails says why, and leaves no output") {
  struct Case {
    const char* what;
    TaskFunction function;
    std::string error;
    std::string last_lines;
  };
  const Case cases[] = {
      {"an error", [](FunctionTask&) -> Status { return invalid("bad line"); },
       "function 'f' failed: bad line", ""},
      {"several lines",
       [](FunctionTask&) -> Status { return invalid("bad\nlines"); },
       "function 'f' failed: bad", "function 'f' failed: bad\nlines"},
      {"an exception",
       [](FunctionTask&) -> Status { throw std::runtime_error("no way"); },
       "function 'f' threw: no way", ""},
      {"no memory", [](FunctionTask&) -> Status { throw std::bad_alloc(); },
       "function 'f' threw: std::bad_alloc", ""},
      {"anything", [](FunctionTask&) -> Status { throw 7; },
       "function 'f' threw something that is no std::exception", ""},
      {"a partition that is not there",
       [](FunctionTask& task) { return task.write(3, "bytes"); },
       "function 'f' failed: there is no partition 3 of 3", ""},
      {"the same, and it does not look",
       [](FunctionTask& task) -> Status {
         static_cast<void>(task.write(3, "bytes"));
         return {};
       },
       "its output failed: there is no partition 3 of 3", ""},
      {"a dependency that is not there",
       [](FunctionTask& task) {
         return task.read(0, [](std::string_view) { return Status{}; });
       },
       "function 'f' failed: there is no dependency 0 of 0", ""},
  };
  for (const auto& x : cases) {
    INFO(x.what);
    Functions functions{{{"f", [&](FunctionTask& task) -> Status {
                            auto written = task.write(0, "something");
                            return written ? x.function(task) : written;
                          }}}};
    auto status = functions.run(functions.stage("f", TaskOutputKind::output));
    CHECK(status.state == TaskState::FAILED);
    CHECK(status.error == x.error);
    CHECK(status.last_lines == x.last_lines);
    CHECK_FALSE(status.exit_status);
    CHECK_FALSE(status.fetch_failed);
    for (const auto& file :
         fs::directory_iterator{functions.output_directory()})
      CHECK(file.path().extension() != ".data");
  }
}

TEST_CASE("of a function of Stoker's own only the error is told") {
  Functions functions{{{"stoker::f", [](FunctionTask&) -> Status {
                          return Error{Errc::failed, "the map threw: no way"};
                        }}}};
  CHECK(functions.run(functions.stage("stoker::f")).error
        == "the map threw: no way");
}

TEST_CASE("a function that finds a full disk fails for that, whatever it makes "
          "of it") {
  stoker::test::TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk")};
  if (!disk.mounted())
    return stoker::test::skip("mounting takes root");
  auto fill = [](FunctionTask& task) {
    static_cast<void>(task.write(0, std::string(1'000'000, 'x')));
  };
  Functions functions{{{"look away",
                        [&](FunctionTask& task) -> Status {
                          fill(task);
                          return {};
                        }},
                       {"throw",
                        [&](FunctionTask& task) -> Status {
                          fill(task);
                          throw std::runtime_error("no way");
                        }},
                       {"fail", [](FunctionTask& task) -> Status {
                          auto written = task.write(0, "x");
                          return written ? invalid("bad") : written;
                        }}}};
  auto is_full = [&](const std::string& name) {
    auto stage = functions.stage(name, TaskOutputKind::file);
    stage.directory = directory.path("disk");
    auto status = functions.run(stage);
    CHECK(status.state == TaskState::FAILED);
    return status.disk_full;
  };
  CHECK(is_full("look away"));
  CHECK(is_full("throw"));
  CHECK_FALSE(is_full("fail"));
}

TEST_CASE("a function that is not there fails its task: the programs differ") {
  Functions functions{std::map<std::string, TaskFunction>{}};
  auto status = functions.run(functions.stage("f"));
  CHECK(status.state == TaskState::FAILED);
  CHECK(status.error
        == "there is no function 'f' here: the driver and its executors run "
           "different programs");
}

TEST_CASE("a function that reads a missing output fails, and it is told which, "
          "also if it does not look") {
  Functions functions{{{"write", to_own_partition},
                       {"copy", copy},
                       {"careless", [](FunctionTask& task) -> Status {
                          static_cast<void>(copy(task));
                          return {};
                        }}}};
  auto writing = functions.stage("write", TaskOutputKind::output);
  functions.run(writing, 0, "bytes");
  functions.written(writing.stage, 2);
  for (const auto* name : {"copy", "careless"}) {
    INFO(name);
    auto reading = functions.stage(name, TaskOutputKind::result,
                                   {{writing.stage, DependencyKind::shuffle}});
    auto status = functions.run(reading);
    CHECK(status.state == TaskState::FAILED);
    CHECK(status.error.starts_with("its input failed: "));
    REQUIRE(status.fetch_failed);
    CHECK(status.fetch_failed->output == TaskAttempt{writing.stage, 1, 0});
    CHECK_FALSE(status.fetch_failed->unreachable);
  }
}

TEST_CASE("a function that reads a damaged output fails") {
  Functions functions{{{"write", to_own_partition}, {"copy", copy}}};
  auto writing = functions.stage("write", TaskOutputKind::output);
  functions.run(writing, 0, "some bytes");
  functions.written(writing.stage, 1);
  for (const auto& file : fs::directory_iterator{functions.output_directory()})
    if (file.path().extension() == ".data") {
      std::fstream data{file.path(),
                        std::ios::in | std::ios::out | std::ios::binary};
      data.put('!');
    }
  auto reading = functions.stage("copy", TaskOutputKind::result,
                                 {{writing.stage, DependencyKind::shuffle}});
  auto status = functions.run(reading);
  CHECK(status.state == TaskState::FAILED);
  REQUIRE(status.fetch_failed);
  CHECK(status.fetch_failed->output == TaskAttempt{writing.stage, 0, 0});
}

TEST_CASE("a function whose input is not known here fails") {
  Functions functions{{{"copy", copy}}};
  auto status = functions.run(
      functions.stage("copy", TaskOutputKind::result,
                      {{StageId{77}, DependencyKind::shuffle}}));
  CHECK(status.state == TaskState::FAILED);
  CHECK(status.error
        == "function 'copy' failed: it is not known here where stage 77 wrote");
  CHECK_FALSE(status.fetch_failed);
}
