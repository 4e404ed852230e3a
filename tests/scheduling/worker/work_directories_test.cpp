#include "scheduling/worker/work_directories.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("each attempt of a driver has a directory of its own", "[worker]") {
  WorkDirectories x{"/work", 1};
  CHECK(x.of(ExecutorId{AppId{"app-1"}, 7}) == "/work/app-1/7");
  CHECK(x.of(DriverId{"driver-1"}, 1) == "/work/driver-1");
  CHECK(x.of(DriverId{"driver-1"}, 2) == "/work/driver-1/attempt-2");
}

TEST_CASE("the last retired directories are kept", "[worker]") {
  WorkDirectories x{"/work", 2};
  CHECK_FALSE(x.retire("a"));
  CHECK_FALSE(x.retire("b"));
  CHECK_FALSE(x.retire("a"));
  CHECK(x.retire("c") == "/work/a");
  // Used again: it is neither kept nor removed.
  x.use(AppId{"b"});
  CHECK_FALSE(x.retire("d"));
  CHECK(x.retire("e") == "/work/c");
}

TEST_CASE("without retained directories each is removed at once", "[worker]") {
  WorkDirectories x{"/work", 0};
  CHECK(x.retire("a") == "/work/a");
}

TEST_CASE("what cannot name a directory is never removed", "[worker]") {
  WorkDirectories x{"/work", 0};
  for (const auto* name : {"", ".", "..", "../x", "a/b", "/etc", ".workers"})
    CHECK_FALSE(x.retire(name));
}
