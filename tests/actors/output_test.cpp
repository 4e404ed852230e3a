// The OUTPUT of a worker: who waits is told when there is something to tell.

#include "actors/output.hpp"

#include <filesystem>

#include "process/directory.hpp"
#include "process/output_files.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/resource_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// A program that runs, as its supervisor shows it, and the OUTPUT that reads it.
struct OutputFixture : DeterministicSystem {
  TemporaryDirectory files;
  ProgramId id = ExecutorId{AppId{"app-1"}, 0};
  process::Directory directory
      = std::get<process::Directory>(process::Directory::open(files.path("")));
  process::LogWriter out{directory.fd(), "stdout", 1'000'000, 2};
  process::LogWriter err{directory.fd(), "stderr", 1'000'000, 2};
  std::vector<OutputToKeep> told;
  OutputActor actor;

  OutputFixture() {
    REQUIRE(out.open() == 0);
    REQUIRE(err.open() == 0);
    save({});
    actor = spawn(output, std::int64_t{4'000'000}, 2,
                  [this](const OutputToKeep& x) { told.push_back(x); });
  }

  void save(const process::State& state) const {
    REQUIRE(directory.save(state) == 0);
  }

  [[nodiscard]] ReadOutput question(std::int64_t offset, Duration wait,
                                    bool grows = true) const {
    OutputSource source;
    source.id = id;
    source.directory = files.path("");
    source.grows = grows;
    source.waits = true;
    ReadOutput result;
    result.request.positions = {about<OutputPosition>(id)};
    result.request.positions[0].offset = offset;
    result.request.wait_ms = wait.count();
    result.sources = {source};
    return result;
  }

  Pending<OutputResponse> read(const ReadOutput& x) {
    return request<OutputResponse>(actor, x);
  }

  /// The only part of an answer.
  static OutputPart part_of(const Pending<OutputResponse>& x) {
    REQUIRE(x.answered());
    REQUIRE(x.answer());
    REQUIRE(x.answer()->parts.size() == 1);
    return x.answer()->parts[0];
  }
};

} // namespace

TEST_CASE_METHOD(OutputFixture, "what is written already is told at once",
                 "[output]") {
  out.write("hello\n");
  auto part = part_of(read(question(0, 10s)));
  CHECK(part.data == "hello\n");
  CHECK(part.end == 6);
  CHECK_FALSE(part.complete);
}

TEST_CASE_METHOD(OutputFixture, "who waits is told what is written then",
                 "[output]") {
  auto answer = read(question(0, 10s));
  advance(3s);
  CHECK_FALSE(answer.answered());
  out.write("late\n");
  advance(250ms, 10ms);
  CHECK(part_of(answer).data == "late\n");
}

TEST_CASE_METHOD(OutputFixture, "nobody waits longer than he asked to",
                 "[output]") {
  auto answer = read(question(0, 500ms));
  advance(499ms, 10ms);
  CHECK_FALSE(answer.answered());
  advance(1ms);
  REQUIRE(answer.answered());
  CHECK(answer.answer()->parts.empty());
}

TEST_CASE_METHOD(OutputFixture, "nobody waits longer than half a minute",
                 "[output]") {
  auto answer = read(question(0, 1h));
  advance(29s);
  CHECK_FALSE(answer.answered());
  advance(1s);
  CHECK(answer.answered());
}

TEST_CASE_METHOD(OutputFixture, "an ended program is complete once it is read",
                 "[output]") {
  out.write("all\n");
  auto part = part_of(read(question(0, 10s, false)));
  CHECK(part.data == "all\n");
  CHECK(part.complete);
  CHECK(part_of(read(question(4, 10s, false))).complete);
}

TEST_CASE_METHOD(OutputFixture,
                 "who waits asks again when its program has ended",
                 "[output]") {
  auto answer = read(question(0, 10s));
  caf::anon_send(actor, OutputEnded{id});
  scheduler.run();
  REQUIRE(answer.answered());
  CHECK(answer.answer()->parts.empty());
}

TEST_CASE_METHOD(OutputFixture, "who waits is told of a full disk, once",
                 "[output]") {
  auto answer = read(question(0, 10s));
  process::State full;
  full.output_error = ENOSPC;
  save(full);
  advance(250ms, 10ms);
  CHECK(part_of(answer).problem
        == "its output cannot be written: No space left on device");
  auto next = read(question(0, 10s));
  advance(5s);
  CHECK_FALSE(next.answered());
}

TEST_CASE_METHOD(OutputFixture,
                 "a program keeps what its readers have not told to have",
                 "[output]") {
  out.write(std::string(600'000, 'x'));
  (void)read(question(0, 0ms));
  REQUIRE_FALSE(told.empty());
  CHECK(told.back() == OutputToKeep{id, 0, 0, false});
  (void)read(question(500'000, 0ms));
  CHECK(told.back() == OutputToKeep{id, 500'000, 0, false});
  SECTION("however little, once they wait") {
    (void)read(question(500'010, 0ms));
    CHECK(told.back() == OutputToKeep{id, 500'000, 0, false});
    out.write("y");
    (void)read(question(600'001, 10s));
    CHECK(told.back() == OutputToKeep{id, 600'001, 0, false});
  }
}

TEST_CASE_METHOD(OutputFixture, "a follower that asks no more keeps nothing",
                 "[output]") {
  id = DriverId{"driver-1"};
  auto x = question(0, 0ms);
  x.request.reader = "somebody";
  (void)read(x);
  REQUIRE_FALSE(told.empty());
  CHECK(told.back() == OutputToKeep{id, 0, std::nullopt, false});
  advance(OutputReaders::patience + 1s);
  CHECK(told.back() == OutputToKeep{id, std::nullopt, std::nullopt, false});
  CHECK(pending_timers() == 0);
}

TEST_CASE_METHOD(OutputFixture,
                 "an ended program has lost what is missing of its log",
                 "[output]") {
  process::State state;
  state.phase = process::Phase::ended;
  state.written = process::WrittenOutput{9, 0};
  save(state);
  out.write("all\n");
  SECTION("at its end") {
    auto part = part_of(read(question(4, 10s, false)));
    CHECK(part.complete);
    CHECK(part.problem == "5 bytes are gone from the disk of its worker");
  }
  SECTION("with all of it") {
    std::filesystem::remove(files.path("stdout.00000000000000000000"));
    auto part = part_of(read(question(0, 10s, false)));
    CHECK(part.complete);
    REQUIRE(part.problem);
    CHECK(part.problem->starts_with(
        "9 bytes are gone from the disk of its worker: there is no stdout"));
  }
  SECTION("but not what was read before") {
    std::filesystem::remove(files.path("stdout.00000000000000000000"));
    auto part = part_of(read(question(9, 10s, false)));
    CHECK(part.complete);
    CHECK_FALSE(part.problem);
  }
}

TEST_CASE_METHOD(OutputFixture,
                 "an ended program may have lost output when its state is gone",
                 "[output]") {
  std::filesystem::remove(files.path("state.json"));
  auto part = part_of(read(question(0, 10s, false)));
  CHECK(part.complete);
  CHECK(part.problem);
}

TEST_CASE_METHOD(OutputFixture, "a program that could not start has no output",
                 "[output]") {
  process::State state;
  state.phase = process::Phase::could_not_start;
  save(state);
  std::filesystem::remove(files.path("stdout.00000000000000000000"));
  auto part = part_of(read(question(0, 10s, false)));
  CHECK(part.complete);
  CHECK_FALSE(part.problem);
}

TEST_CASE_METHOD(OutputFixture,
                 "an output is not at its end when it cannot be read now",
                 "[output]") {
  out.write("all\n");
  auto x = question(0, 0ms, false);
  auto answer = [&] {
    ResourceLimit no_descriptors{RLIMIT_NOFILE, 0};
    return read(x);
  }();
  auto part = part_of(answer);
  CHECK_FALSE(part.complete);
  CHECK(part.end == 1);
  CHECK(part.problem);
  CHECK(part_of(read(x)).data == "all\n");
}
