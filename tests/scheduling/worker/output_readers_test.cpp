// What is kept for whom: scheduling/worker/output_readers.hpp.

#include "scheduling/worker/output_readers.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Changes = std::vector<OutputToKeep>;

const ProgramId executor_0 = ExecutorId{AppId{"app-1"}, 0};
const ProgramId driver_1 = DriverId{"driver-1"};

constexpr std::int64_t mb = 1024 * 1024;

OutputSource running(const ProgramId& id) {
  OutputSource result;
  result.id = id;
  result.grows = true;
  result.waits = true;
  return result;
}

struct ReadersFixture {
  OutputReaders readers{mb};
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
  auto source = running(executor_0);
  CHECK(read("", source, 0) == Changes{{executor_0, 0, 0}});
  CHECK(read("", source, mb) == Changes{{executor_0, mb, 0}});
  CHECK(read("", source, mb, true) == Changes{{executor_0, mb, mb}});
  // For as long as the program runs.
  now += 1h;
  CHECK(tick().empty());
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture, "small steps are not told", "[output]") {
  auto source = running(executor_0);
  (void)read("", source, 0);
  CHECK(read("", source, mb - 1).empty());
  CHECK(read("", source, mb).size() == 1);
}

TEST_CASE_METHOD(ReadersFixture,
                 "small steps are told when a reader has all that there is",
                 "[output]") {
  auto source = running(executor_0);
  (void)read("", source, 0);
  CHECK(read("", source, 7).empty());
  readers.waits(executor_0);
  CHECK(readers.take_changes() == Changes{{executor_0, 7, 0}});
  readers.waits(executor_0);
  CHECK(readers.take_changes().empty());
}

TEST_CASE_METHOD(ReadersFixture, "the slowest reader counts", "[output]") {
  auto source = running(executor_0);
  // The application has read nothing yet, whoever else has.
  CHECK(read("logs", source, 5 * mb) == Changes{{executor_0, 0, 0}});
  CHECK(read("", source, 9 * mb) == Changes{{executor_0, 5 * mb, 0}});
  CHECK(read("logs", source, 10 * mb) == Changes{{executor_0, 9 * mb, 0}});
}

TEST_CASE_METHOD(ReadersFixture,
                 "a reader that asks no more is not waited for any longer",
                 "[output]") {
  auto source = running(driver_1);
  CHECK(read("logs", source, mb) == Changes{{driver_1, mb, std::nullopt}});
  now += 29s;
  CHECK(tick().empty());
  CHECK(read("logs", source, mb).empty());
  now += 29s;
  CHECK(tick().empty());
  REQUIRE(readers.due() == now + 1s);
  now += 1s;
  CHECK(tick() == Changes{{driver_1, std::nullopt, std::nullopt}});
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture,
                 "nothing is kept of a program that waits for "
                 "nobody, or has ended",
                 "[output]") {
  auto source = running(executor_0);
  source.waits = false;
  CHECK(read("", source, 0).empty());
  CHECK(read("logs", source, 0).empty());
  source = running(executor_0);
  source.grows = false;
  CHECK(read("", source, 0).empty());
  (void)read("logs", running(executor_0), 0);
  readers.ended(executor_0);
  CHECK(readers.take_changes().empty());
  CHECK_FALSE(readers.due());
}

TEST_CASE_METHOD(ReadersFixture,
                 "a reader of an earlier attempt has nothing of this one",
                 "[output]") {
  auto earlier = running(driver_1);
  earlier.grows = false;
  earlier.restarts = true;
  CHECK(read("logs", earlier, 7 * mb) == Changes{{driver_1, 0, std::nullopt}});
  // The next attempt is told as soon as it runs.
  readers.started(driver_1);
  CHECK(readers.take_changes() == Changes{{driver_1, 0, std::nullopt}});
}

TEST_CASE_METHOD(ReadersFixture, "a successor lets go what nobody asks it for",
                 "[output]") {
  readers.adopted(now, driver_1);
  CHECK(readers.take_changes() == Changes{{driver_1, 0, 0}});
  CHECK(read("logs", running(driver_1), 4 * mb).empty());
  now += 30s;
  CHECK(tick() == Changes{{driver_1, std::nullopt, std::nullopt}});
  CHECK(read("logs", running(driver_1), 4 * mb)
        == Changes{{driver_1, 4 * mb, std::nullopt}});
}
