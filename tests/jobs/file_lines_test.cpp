// Splits that cover a file give each of its lines once, and whole.

#include <fstream>

#include "jobs/file_lines.hpp"
#include "tests/jobs/memory_runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::jobs;
using namespace stoker::test;

namespace {

struct LineList : Sink<std::string_view> {
  std::vector<std::string> lines;
  std::size_t wanted = 1'000'000;

  bool push(std::string_view& x) override {
    lines.emplace_back(x);
    return lines.size() < wanted;
  }
};

struct LinesOfFile {
  TemporaryDirectory directory;
  std::string path = directory.path("file");
  MemoryTask task;
  TaskInputs inputs;
  TaskRun run{task, inputs, task.memory};

  explicit LinesOfFile(const std::string& text) {
    std::ofstream{path} << text;
  }

  std::vector<std::string> lines(std::int64_t begin, std::int64_t end) {
    LineList result;
    auto status = read_lines({path, begin, end}, run, result);
    INFO((status ? "" : status.error().message));
    CHECK(status);
    return result.lines;
  }
};

} // namespace

TEST_CASE("each line of a file is in one split") {
  for (const auto* text :
       {"", "\n", "a", "a\n", "\n\na\n\nbb\nccc", "one\ntwo\nthree\n",
        "a long line that several splits are in\nb\n"}) {
    LinesOfFile file{text};
    auto size = static_cast<std::int64_t>(std::string{text}.size());
    auto all = file.lines(0, size);
    for (std::int64_t bytes = 1; bytes <= size + 1; ++bytes) {
      std::vector<std::string> parts;
      for (std::int64_t at = 0; at < size; at += bytes)
        for (auto& line : file.lines(at, std::min(size, at + bytes)))
          parts.push_back(std::move(line));
      CHECK(parts == all);
    }
  }
  LinesOfFile file{"one\n\nthree"};
  CHECK(file.lines(0, 10) == std::vector<std::string>{"one", "", "three"});
}

TEST_CASE("lines that are longer than what is read at once are whole") {
  std::string line(700'000, 'x');
  LinesOfFile file{line + "\n" + "y\n" + line};
  CHECK(file.lines(0, 1'400'003) == std::vector<std::string>{line, "y", line});
  CHECK(file.lines(5, 700'002) == std::vector<std::string>{"y"});
  CHECK(file.lines(700'003, 1'400'003) == std::vector<std::string>{line});
}

TEST_CASE("lines are read no further than they are wanted") {
  LinesOfFile file{"a\nb\nc\n"};
  LineList two;
  two.wanted = 2;
  CHECK(read_lines({file.path, 0, 6}, file.run, two));
  CHECK(two.lines == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a file that is shorter than it was fails the task") {
  LinesOfFile file{"a\n"};
  LineList lines;
  auto status = read_lines({file.path, 0, 3}, file.run, lines);
  CHECK(status.code() == Errc::unreadable);
  CHECK(status.error().message
        == "cannot read " + file.path
               + ": it has 2 bytes, and 3 were expected");
  CHECK(read_lines({file.path + "x", 0, 3}, file.run, lines).code()
        == Errc::unreadable);
}

TEST_CASE("a task that is to end reads no more lines") {
  LinesOfFile file{"a\n"};
  file.task.stop.request_stop();
  LineList lines;
  CHECK(!read_lines({file.path, 0, 2}, file.run, lines));
  CHECK(lines.lines.empty());
}
