// What is written of several instances: tools/stoker/run_output.hpp.

#include "tools/stoker/run_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;

namespace {

/// Standard output in a file.
struct OutputFixture {
  test::TemporaryDirectory directory;
  int descriptor = ::open(directory.path("out").c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  OutputFile file{descriptor};
  RunOutput output{options(), file, file};

  ~OutputFixture() {
    ::close(descriptor);
  }

  static RunOutputOptions options() {
    RunOutputOptions result;
    result.quiet = true;
    result.whole_lines = true;
    return result;
  }

  [[nodiscard]] std::string written() const {
    std::ifstream in{directory.path("out")};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

} // namespace

TEST_CASE_METHOD(OutputFixture,
                 "a run writes a line of an instance when its end has come",
                 "[output]") {
  output.output(0, false, "one ");
  output.output(1, false, "other\nlast");
  CHECK(written() == "other\n");
  output.output(0, false, "line\nnext\nhalf");
  CHECK(written() == "other\none line\nnext\n");
  output.output_ended(1);
  CHECK(written() == "other\none line\nnext\nlast");
  CHECK(output.finish({}));
  CHECK(written() == "other\none line\nnext\nlast\nhalf");
}

TEST_CASE_METHOD(OutputFixture,
                 "a run begins a line when another instance has left one "
                 "without an end",
                 "[output]") {
  output.output(1, false, "half");
  output.output_ended(1);
  // Started again, it continues its own line.
  output.output(1, false, " and more");
  output.output_ended(1);
  CHECK(written() == "half and more");
  output.output(0, false, "whole\n");
  CHECK(written() == "half and more\nwhole\n");
  output.output(1, false, "next\n");
  CHECK(written() == "half and more\nwhole\nnext\n");
}

TEST_CASE_METHOD(OutputFixture,
                 "a run keeps a line whole when it is long, or has no end",
                 "[output]") {
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    std::string piece(10'007, static_cast<char>(i));
    std::replace(piece.begin(), piece.end(), '\n', ' ');
    expected += piece;
    output.output(0, false, piece);
    output.output(1, false, "x\n");
  }
  std::string others;
  for (int i = 0; i < 100; ++i)
    others += "x\n";
  CHECK(written() == others);
  SECTION("and ends") {
    output.output(0, false, "\n");
    CHECK(written() == others + expected + "\n");
  }
  SECTION("and its instance ends") {
    output.output_ended(0);
    CHECK(written() == others + expected);
  }
}
