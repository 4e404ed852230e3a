// Where a program's output goes.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/part_file.hpp"
#include "tests/executor/support.hpp"
#include "tests/support/skip.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

constexpr TaskAttempt writer_of_part{StageId{2}, 7, 1};

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> result;
  for (const auto& x : std::filesystem::directory_iterator{directory})
    result.push_back(x.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

std::shared_ptr<PartFile> part_in(const std::string& directory) {
  auto part = PartFile::create(directory, 7, writer_of_part);
  INFO((part ? "" : part.error().message));
  REQUIRE(part);
  return *part;
}

} // namespace

TEST_CASE(
    "a result within its limit of memory is kept there, a larger one in a "
    "file without a name") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  REQUIRE(succeeded(tasks.run(program({"true"}))));
  auto descriptors = open_descriptors();
  for (std::uint64_t size : {100, 101, 1'000'000}) {
    CollectedOutputLimits limits{100, 2'000'000, directory.path("")};
    auto x = test_program({"write", "1", std::to_string(size)});
    auto output = std::make_shared<CollectedOutput>(limits);
    x.output = output;
    CHECK(succeeded(tasks.run(std::move(x))));
    CHECK(output->size() == size);
    CHECK(text_of(*output) == std::string(size, 'x'));
    CHECK(open_descriptors() == descriptors + (size > 100 ? 1 : 0));
    CHECK(files_in(directory.path("")).empty());
    char part[10];
    auto n = output->read(size - 3, part);
    REQUIRE(n);
    CHECK(*n == 3);
  }
}

TEST_CASE("a result that is too large fails the task") {
  Tasks tasks;
  auto x = program({"yes"});
  x.output = std::make_shared<CollectedOutput>(
      CollectedOutputLimits{1 << 20, 100'000, "/tmp"});
  auto end = tasks.run(std::move(x));
  CHECK(to_string(end.outcome)
        == "its output failed: the output has more than 100000 bytes, which a "
           "result may have");
  // No full disk: elsewhere it is as large.
  CHECK(std::get<OutputFailed>(end.outcome).error.code == Errc::failed);
}

TEST_CASE("a part gets its name when it is committed") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  auto part = part_in(directory.path(""));
  CHECK(files_in(directory.path(""))
        == std::vector<std::string>{".part-00007.2-7-1"});
  auto x = shell("seq 100000; echo last");
  x.output = part;
  auto end = tasks.run(std::move(x));
  CHECK(succeeded(end));
  CHECK(files_in(directory.path(""))
        == std::vector<std::string>{".part-00007.2-7-1"});
  REQUIRE(part->commit());
  REQUIRE(part->commit());
  part.reset();
  CHECK(files_in(directory.path("")) == std::vector<std::string>{"part-00007"});
  auto text = directory.read("part-00007");
  CHECK(text.size() == end.output_bytes);
  CHECK(text.ends_with("\n100000\nlast\n"));
}

TEST_CASE("a part that is not committed is removed") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  auto x = shell("echo half; exit 1");
  x.output = part_in(directory.path(""));
  tasks.run(std::move(x));
  CHECK(eventually([&] { return files_in(directory.path("")).empty(); }));
}

TEST_CASE("what killed executors left of parts is removed") {
  stoker::test::TemporaryDirectory directory;
  directory.write(".part-00003.1-3-0", "half");
  directory.write("part-00001", "whole");
  remove_unfinished_parts(directory.path(""));
  CHECK(files_in(directory.path("")) == std::vector<std::string>{"part-00001"});
}

TEST_CASE("a part in a directory that is gone is an error") {
  auto part = PartFile::create("/no/such/directory", 0, writer_of_part);
  REQUIRE_FALSE(part);
  CHECK(part.error().code == Errc::io);
  CHECK(part.error().message
        == "cannot write /no/such/directory/.part-00000.2-7-1: No such file or "
           "directory");
}

TEST_CASE("a full disk fails the task, and leaves nothing") {
  stoker::test::TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk")};
  if (!disk.mounted())
    return stoker::test::skip("mounting takes root");
  auto path = directory.path("disk");
  Tasks tasks;
  auto x = program({"yes"});
  x.output = part_in(path);
  auto end = tasks.run(std::move(x));
  CHECK(to_string(end.outcome)
        == "its output failed: cannot write " + path
               + "/.part-00007.2-7-1: No space left on device");
  CHECK(std::get<OutputFailed>(end.outcome).error.code == Errc::full);
  CHECK(eventually([&] { return files_in(path).empty(); }));

  auto result = program({"yes"});
  result.output = std::make_shared<CollectedOutput>(
      CollectedOutputLimits{1000, std::uint64_t{1} << 30, path});
  end = tasks.run(std::move(result));
  CHECK(to_string(end.outcome)
        == "its output failed: cannot write a result to a file in " + path
               + ": No space left on device");
}

TEST_CASE("a program whose output fails is ended, also if it goes on writing") {
  Tasks tasks;
  auto x = shell("trap '' TERM; while :; do echo line; done");
  x.kill_grace = 100ms;
  Error refused{Errc::io, "the sink is closed"};
  x.output = std::make_shared<ScriptedSink>(
      [&](std::string_view) { return Status{refused}; });
  CHECK(tasks.run(std::move(x)).outcome == TaskOutcome{OutputFailed{refused}});
}

TEST_CASE("output that fails at its very end fails the task") {
  Tasks tasks;
  auto x = shell("echo line");
  Error refused{Errc::full, "the quota is used up"};
  x.output = std::make_shared<ScriptedSink>(
      [&](std::string_view) { return Status{refused}; });
  CHECK(tasks.run(std::move(x)).outcome == TaskOutcome{OutputFailed{refused}});
}

TEST_CASE("output is opened when its task begins, and only then") {
  stoker::test::TemporaryDirectory directory;
  Tasks tasks;
  auto opened = std::make_shared<std::atomic<int>>(0);
  auto writing = [&](const std::string& command) {
    auto x = shell(command);
    x.open_output = [&, opened]() -> Result<std::shared_ptr<OutputSink>> {
      ++*opened;
      auto part = PartFile::create(directory.path(""), 7, writer_of_part);
      if (!part)
        return std::move(part).error();
      return std::shared_ptr<OutputSink>{*std::move(part)};
    };
    return x;
  };
  auto first
      = tasks.add(writing("echo line; while ! test -e '" + directory.path("go")
                          + "'; do sleep 0.01; done"));
  auto second = tasks.add(writing("echo never"));
  tasks.await_start(first);
  CHECK(*opened == 1);
  tasks.slots().kill(second, "not needed");
  directory.write("go", "");
  CHECK(tasks.await(first).output_bytes == 5);
  CHECK(*opened == 1);

  auto x = shell("echo line");
  Error refused{Errc::not_found, "no worker serves this directory"};
  x.open_output
      = [&]() -> Result<std::shared_ptr<OutputSink>> { return refused; };
  auto third = tasks.add(std::move(x));
  CHECK(tasks.await(third).outcome == TaskOutcome{OutputFailed{refused}});
  CHECK(tasks.started() == std::vector<TaskAttempt>{first});
}

TEST_CASE("a slow sink slows the program down") {
  constexpr std::uint64_t size = 50'000'000;
  std::promise<void> go;
  auto may_go = go.get_future().share();
  std::atomic<std::uint64_t> taken{0};
  Tasks tasks;
  ProcessDirectory directory;
  auto x = test_program({"write", "1", std::to_string(size)});
  x.output = std::make_shared<ScriptedSink>([&](std::string_view bytes) {
    may_go.wait();
    taken += bytes.size();
    return Status{};
  });
  auto task = tasks.add(std::move(x));
  tasks.await_start(task);
  CHECK(tasks.ends_of(task) == 0);
  CHECK(taken == 0);
  go.set_value();
  CHECK(tasks.await(task).output_bytes == size);
  CHECK(taken == size);
}

TEST_CASE("errors of many gigabytes cost nothing but time") {
#if defined(STOKER_SANITIZED)
  const std::string size = "100000000";
#else
  const std::string size = "4000000000";
#endif
  Tasks tasks;
  auto end = tasks.run(test_program({"write", "2", size}));
  CHECK(succeeded(end));
  CHECK(end.last_errors.size() == 65'536);
}
