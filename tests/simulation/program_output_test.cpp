// What a program writes, and when it waits for its reader: simulation/program_output.hpp.

#include "simulation/program_output.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::simulation;

namespace {

const ExecutorId writer{AppId{"app-1"}, 0};

constexpr std::int64_t log_bytes = 1000;
constexpr std::int64_t pipe_bytes = ProgramOutput::pipe_bytes;

/// A row of the table: a program writes 10 bytes in a millisecond, for a time, after its
/// reader has come to an offset.
struct Row {
  const char* name;
  std::int64_t total;
  OutputToKeep kept;
  Duration lasts;
  std::int64_t written;
  bool waits;

  /// What its log has when the program is ended then.
  std::int64_t logged;
};

} // namespace

TEST_CASE("a simulated program waits for its reader", "[simulation]") {
  using std::chrono::milliseconds;
  const Instant start{};
  for (const auto& row : std::vector<Row>{{"it writes what it has",
                                           500,
                                           {writer, 0, 0},
                                           milliseconds{100},
                                           500,
                                           false,
                                           500},
                                          {"it takes its time",
                                           500,
                                           {writer, 0, 0},
                                           milliseconds{20},
                                           200,
                                           false,
                                           200},
                                          {"log and pipe are full",
                                           9000,
                                           {writer, 0, 0},
                                           milliseconds{900},
                                           log_bytes + pipe_bytes,
                                           true,
                                           log_bytes + pipe_bytes},
                                          {"the reader has read a part",
                                           9000,
                                           {writer, 700, 0},
                                           milliseconds{900},
                                           700 + log_bytes + pipe_bytes,
                                           true,
                                           700 + log_bytes + pipe_bytes},
                                          {"it is paused",
                                           9000,
                                           {writer, 0, 0, true},
                                           milliseconds{900},
                                           pipe_bytes,
                                           true,
                                           pipe_bytes},
                                          {"without a reader it never waits",
                                           9000,
                                           {writer, {}, {}},
                                           milliseconds{900},
                                           9000,
                                           false,
                                           9000}}) {
    INFO(row.name);
    ProgramOutput output{0, {{row.total, 0}, 10}, log_bytes, true};
    output.begin(start);
    output.keep(start, row.kept);
    auto now = start + row.lasts;
    CHECK(output.has_written_all(now) == (row.written == row.total));
    CHECK(output.written(false) == row.written);
    CHECK(output.written(true) == 0);
    CHECK(output.has_waited() == row.waits);
    CHECK_FALSE(output.count(false));
    output.end(now, false);
    CHECK(output.count(false) == row.logged);
  }
}

TEST_CASE("a simulated program that is told to end does not wait for others",
          "[simulation]") {
  const Instant start{};
  ProgramOutput output{0, {{9000, 0}, 10}, log_bytes, true};
  output.begin(start);
  output.keep(start, {writer, 0, 0, true});
  output.told_to_end(start);
  // What its worker says later does not matter.
  output.keep(start, {writer, 0, 0, true});
  output.end(start + std::chrono::seconds{2}, false);
  CHECK(output.count(false) == log_bytes + pipe_bytes);
}

TEST_CASE("a disk loses output of ended programs", "[simulation]") {
  const Instant start{};
  const auto end = start + std::chrono::seconds{1};
  ProgramOutput output{7, {{500, 0}, 10}, log_bytes, true};
  output.begin(start);
  auto read = [&] { return output.read(end, false, 0, 1000); };
  CHECK(read().data.size() == 500);
  output.damage(100, true);
  CHECK(read().offset == 0);
  output.end(end, false);
  output.damage(100, true);
  CHECK(read().offset == 100);
  CHECK(read().data.size() == 400);
  CHECK(read().data[0] == written_byte(7, false, 100));
  output.damage(150, false);
  CHECK(read().end == 350);
  // A byte stays.
  output.damage(1000, false);
  CHECK(read().data.size() == 1);
  // The supervisor counted before.
  CHECK(output.count(false) == 500);
}
