// What is kept for whom: scheduling/worker/output_readers.hpp.

#include "scheduling/worker/output_readers.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Changes = std::vector<OutputToKeep>;

const ProgramId read_executor = ExecutorId{AppId{"app-1"}, 0};
const ProgramId read_driver = DriverId{"driver-1"};

constexpr std::int64_t mb = 1024 * 1024;

OutputSource running(const ProgramId& id) {
  OutputSource result;
  result.id = id;
  result.grows = true;
  result.waits = true;
  return result;
}

struct ReadersFixture {
  OutputReaders readers{mb, 100 * mb};
  Instant now{};

  /// What changes when a reader has come so far.
  Changes read(const std::string& reader, const OutputSource& source,
               std::int64_t offset, bool standard_error = false) {
    readers.read(now, reader, source, standard_error, offset);
    return readers.take_changes();
  }

  Changes tick() {
    readers.tick(now);
    return readers.take_changes();
  }
};

} // namespace

TEST_CASE_METHOD(ReadersFixture,
                 "what its application has read may go from a log",
                 "[output]") {
  auto source = running(read_executor);
  CHECK(read("", source, 0) == Changes{{read_executor, 0, 0}});
  CHECK(read("", source, mb) == Changes{{read_executor, mb, 0}});
  CHECK(read("", source, mb, true) == Changes{{read_executor, mb, mb}});
  // For as long as the program runs.
  now += 1h;
  CHECK(tick().empty());
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture, "small steps are not told", "[output]") {
  auto source = running(read_executor);
  (void)read("", source, 0);
  CHECK(read("", source, mb - 1).empty());
  CHECK(read("", source, mb).size() == 1);
}

TEST_CASE_METHOD(ReadersFixture,
                 "small steps are told when a reader has all that there is",
                 "[output]") {
  auto source = running(read_executor);
  (void)read("", source, 0);
  CHECK(read("", source, 7).empty());
  readers.waits(read_executor);
  CHECK(readers.take_changes() == Changes{{read_executor, 7, 0}});
  readers.waits(read_executor);
  CHECK(readers.take_changes().empty());
}

TEST_CASE_METHOD(ReadersFixture, "the slowest reader counts", "[output]") {
  auto source = running(read_executor);
  // The application has read nothing yet, whoever else has.
  CHECK(read("logs", source, 5 * mb) == Changes{{read_executor, 0, 0}});
  CHECK(read("", source, 9 * mb) == Changes{{read_executor, 5 * mb, 0}});
  CHECK(read("logs", source, 10 * mb) == Changes{{read_executor, 9 * mb, 0}});
}

TEST_CASE_METHOD(ReadersFixture,
                 "a reader that asks no more is not waited for any longer",
                 "[output]") {
  auto source = running(read_driver);
  CHECK(read("logs", source, mb) == Changes{{read_driver, mb, std::nullopt}});
  now += 29s;
  CHECK(tick().empty());
  CHECK(read("logs", source, mb).empty());
  now += 29s;
  CHECK(tick().empty());
  REQUIRE(readers.due() == now + 1s);
  now += 1s;
  CHECK(tick() == Changes{{read_driver, std::nullopt, std::nullopt}});
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture,
                 "nothing is kept of a program that waits for "
                 "nobody, or has ended",
                 "[output]") {
  auto source = running(read_executor);
  source.waits = false;
  CHECK(read("", source, 0).empty());
  CHECK(read("logs", source, 0).empty());
  source = running(read_executor);
  source.grows = false;
  CHECK(read("", source, 0).empty());
  (void)read("logs", running(read_executor), 0);
  readers.ended(read_executor);
  CHECK(readers.take_changes().empty());
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture,
                 "a reader of an earlier attempt has nothing of this one",
                 "[output]") {
  auto earlier = running(read_driver);
  earlier.grows = false;
  earlier.restarts = true;
  CHECK(read("logs", earlier, 7 * mb)
        == Changes{{read_driver, 0, std::nullopt}});
  // The next attempt is told as soon as it runs.
  readers.started(read_driver);
  CHECK(readers.take_changes() == Changes{{read_driver, 0, std::nullopt}});
}

TEST_CASE_METHOD(ReadersFixture, "a successor lets go what nobody asks it for",
                 "[output]") {
  readers.adopted(now, read_driver);
  // What its predecessor has told still holds.
  CHECK(readers.take_changes().empty());
  REQUIRE(readers.due() == now + 30s);
  SECTION("after a while") {
    now += 29s;
    CHECK(tick().empty());
    now += 1s;
    CHECK(tick() == Changes{{read_driver, std::nullopt, std::nullopt}});
    CHECK_FALSE(readers.due());
  }
  SECTION("unless somebody asks") {
    CHECK(read("logs", running(read_driver), 4 * mb)
          == Changes{{read_driver, 4 * mb, std::nullopt}});
    now += 20s;
    CHECK(read("logs", running(read_driver), 4 * mb).empty());
    now += 10s;
    CHECK(tick().empty());
  }
  SECTION("or it has ended") {
    readers.ended(read_driver);
    CHECK_FALSE(readers.due());
  }
}

TEST_CASE_METHOD(
    ReadersFixture,
    "running executors wait when ended ones have too much that is not read",
    "[output]") {
  ExecutorId running_id{AppId{"app-1"}, 8};
  ExecutorId other{AppId{"app-2"}, 0};
  readers.started(running_id, true);
  readers.started(other, true);
  CHECK(readers.take_changes() == Changes{{running_id, 0, 0}, {other, 0, 0}});
  ProgramId first = ExecutorId{AppId{"app-1"}, 6};
  ProgramId second = ExecutorId{AppId{"app-1"}, 7};
  readers.ended(first, 60 * mb);
  CHECK(readers.take_changes().empty());
  readers.ended(second, 60 * mb);
  CHECK(readers.take_changes() == Changes{{running_id, 0, 0, true}});
  SECTION("until enough is read") {
    OutputSource ended;
    ended.id = first;
    ended.waits = true;
    CHECK(read("", ended, 10 * mb).empty());
    CHECK(read("", ended, 5 * mb, true).empty());
    CHECK(read("", ended, 30 * mb) == Changes{{running_id, 0, 0}});
  }
  SECTION("until all of one is taken") {
    readers.taken(std::get<ExecutorId>(first));
    CHECK(readers.take_changes() == Changes{{running_id, 0, 0}});
  }
  SECTION("until the application has ended") {
    readers.left(AppId{"app-1"});
    CHECK(readers.take_changes() == Changes{{running_id, 0, 0}});
  }
  SECTION("also one that starts then") {
    ExecutorId next{AppId{"app-1"}, 9};
    readers.started(next, true);
    CHECK(readers.take_changes() == Changes{{next, 0, 0, true}});
  }
}
