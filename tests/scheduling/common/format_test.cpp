// Quantities in sentences for people.

#include "scheduling/common/format.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("memory is told in GB where it is whole", "[scheduling]") {
  CHECK(format_memory(2048) == "2 GB");
  CHECK(format_memory(3584) == "3584 MB");
  CHECK(format_memory(0) == "0 MB");
}

TEST_CASE("amounts of memory that stand side by side have one unit",
          "[scheduling]") {
  CHECK(format_memory_beside(12'288, 3584) == "12288 MB");
  CHECK(format_memory_beside(3584, 12'288) == "3584 MB");
  CHECK(format_memory_beside(12'288, 1024) == "12 GB");
  // Nothing is as much in each unit.
  CHECK(format_memory_beside(12'288, 0) == "12 GB");
}
