// What a program reads from its standard input.

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "executor/chunk_queue.hpp"
#include "executor/file_input.hpp"
#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

TaskProgram with_input(TaskProgram program,
                       std::unique_ptr<InputSource> input) {
  program.input = std::move(input);
  return program;
}

TaskProgram with_text(TaskProgram program, std::string text) {
  return with_input(std::move(program),
                    std::make_unique<TextInput>(std::move(text)));
}

/// All bytes there are, in an order that shows what is lost or moved.
std::string binary(std::size_t size) {
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>(i * 31 + i / 256);
  return result;
}

} // namespace

TEST_CASE("a text is what the program reads") {
  CHECK(output_of(with_text(program({"cat"}), "one\ntwo\n")) == "one\ntwo\n");
  CHECK(output_of(with_text(program({"cat"}), "")).empty());
}

TEST_CASE("input is carried byte by byte, whatever bytes they are") {
  for (std::size_t size : {std::size_t{1}, megabyte - 1, 5 * megabyte}) {
    auto text = binary(size);
    CHECK(output_of(with_text(program({"cat"}), text)) == text);
    stoker::test::TemporaryDirectory directory;
    auto file = directory.write("data", text);
    CHECK(output_of(with_input(
              program({"cat"}),
              std::make_unique<FileInput>(std::vector<FileSplit>{{file}})))
          == text);
  }
}

TEST_CASE("how many bytes went in and out is told") {
  Tasks tasks;
  auto x = with_text(shell("cat; cat /dev/null"), binary(3 * megabyte));
  auto output = collect(x);
  auto end = tasks.run(std::move(x));
  CHECK(end.input_bytes == 3 * megabyte);
  CHECK(end.output_bytes == 3 * megabyte);
}

TEST_CASE("a program that never reads its input ends well") {
  Tasks tasks;
  CHECK(
      succeeded(tasks.run(with_text(program({"true"}), binary(5 * megabyte)))));
  CHECK(succeeded(tasks.run(with_text(program({"true"}), "a line\n"))));
}

TEST_CASE("a program that reads a part of its input ends well") {
  CHECK(output_of(with_text(program({"head", "-c", "3"}), binary(5 * megabyte)))
        == binary(3));
}

TEST_CASE("a program that closes its input early goes on") {
  ProcessDirectory directory;
  Tasks tasks;
  auto task = tasks.add(with_text(
      test_program({"close_input", directory.pids(), directory.path("go")}),
      binary(5 * megabyte)));
  auto pids = await_pids(directory.pids(), 1);
  CHECK_FALSE(has_ended(pids.front()));
  directory.write("go", "");
  auto end = tasks.await(task);
  CHECK(succeeded(end));
  CHECK(end.input_bytes < megabyte);
}

TEST_CASE("input that goes on without end does not keep a task from its end") {
  Tasks tasks;
  stoker::test::TemporaryDirectory directory;
  // As large as a disk, and without a newline.
  auto file = directory.write("endless", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  for (auto begin : {std::int64_t{0}, std::int64_t{1}}) {
    auto x = with_input(program({"head", "-c", "1000000"}),
                        std::make_unique<FileInput>(std::vector<FileSplit>{
                            {file, begin, begin + 1'000'000}}));
    auto output = collect(x);
    CHECK(succeeded(tasks.run(std::move(x))));
    // A split behind the begin of the only line has none.
    CHECK(output->size() == (begin == 0 ? 1'000'000 : 0));
  }
}

TEST_CASE("a file that cannot be read fails the task, with its name") {
  stoker::test::TemporaryDirectory directory;
  auto short_one = directory.write("short", "12345");
  Tasks tasks;
  auto outcome = [&](FileSplit split) {
    return to_string(tasks
                         .run(with_input(program({"cat"}),
                                         std::make_unique<FileInput>(
                                             std::vector<FileSplit>{split})))
                         .outcome);
  };
  auto path = directory.path("");
  CHECK(outcome({path + "missing"})
        == "its input failed: cannot read " + path
               + "missing: No such file or directory");
  CHECK(outcome({path})
        == "its input failed: cannot read " + path + ": it is no regular file");
  CHECK(outcome({short_one, 0, 10})
        == "its input failed: cannot read " + short_one
               + ": it has 5 bytes, and 10 were expected");
}

TEST_CASE("a program is ended when its input fails in the middle") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("data", binary(3 * megabyte));
  Tasks tasks;
  auto end
      = tasks.run(with_input(shell("exec cat >/dev/null"),
                             std::make_unique<FileInput>(std::vector<FileSplit>{
                                 {file}, {directory.path("missing")}})));
  REQUIRE(std::holds_alternative<InputFailed>(end.outcome));
  CHECK(std::get<InputFailed>(end.outcome).error.code == Errc::unreadable);
}

TEST_CASE("chunks that arrive on a thread are what the program reads") {
  auto queue = std::make_shared<ChunkQueue>(megabyte);
  auto text = binary(20 * megabyte);
  std::thread sender{[&] {
    for (std::size_t at = 0; at < text.size(); at += 300'000)
      queue->push(text.substr(at, 300'000));
    queue->finish();
  }};
  auto output = output_of(
      with_input(program({"cat"}), std::make_unique<ChunkInput>(queue)));
  sender.join();
  CHECK(output == text);
}

TEST_CASE(
    "a task waits for chunks that are late, and can be killed meanwhile") {
  Tasks tasks;
  auto queue = std::make_shared<ChunkQueue>(megabyte);
  auto x = with_input(shell("read a; read b; echo $a $b"),
                      std::make_unique<ChunkInput>(queue));
  auto output = collect(x);
  auto first = tasks.add(std::move(x));
  tasks.await_start(first);
  queue->push("one\n");
  queue->push("two\n");
  // Never finished: the program ends without having seen the end.
  CHECK(succeeded(tasks.await(first)));
  CHECK(text_of(*output) == "one two\n");
  CHECK_FALSE(queue->push("three\n"));

  auto silent = std::make_shared<ChunkQueue>(megabyte);
  auto second = tasks.add(
      with_input(program({"cat"}), std::make_unique<ChunkInput>(silent)));
  tasks.await_start(second);
  tasks.slots().kill(second, "enough");
  CHECK(tasks.await(second).outcome == TaskOutcome{Killed{"enough"}});
}

TEST_CASE("chunks that fail to arrive fail the task") {
  Tasks tasks;
  auto queue = std::make_shared<ChunkQueue>(megabyte);
  auto task = tasks.add(
      with_input(program({"cat"}), std::make_unique<ChunkInput>(queue)));
  queue->push("one\n");
  Error lost{Errc::no_answer, "the output is lost"};
  queue->fail(lost);
  queue->finish();
  CHECK(tasks.await(task).outcome == TaskOutcome{InputFailed{lost}});
}

TEST_CASE("who sends chunks waits for the program, and is told when it ends") {
  ProcessDirectory directory;
  Tasks tasks;
  auto queue = std::make_shared<ChunkQueue>(megabyte);
  auto task = tasks.add(
      with_input(test_program({"sleep"}), std::make_unique<ChunkInput>(queue)));
  std::size_t pushed = 0;
  std::thread sender{[&] {
    while (queue->push(std::string(100'000, 'x')))
      pushed += 100'000;
  }};
  tasks.await_start(task);
  tasks.slots().kill(task, "enough");
  tasks.await(task);
  sender.join();
  // The queue, a chunk more, one that the task has, and the pipe.
  CHECK(pushed <= megabyte + 2 * 100'000 + megabyte);
}
