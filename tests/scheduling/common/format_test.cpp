// Quantities in sentences for people.

#include "scheduling/common/format.hpp"

#include <chrono>
#include <utility>

#include "scheduling/common/instant.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

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

TEST_CASE("elapsed time has its two largest units") {
  const std::pair<Duration, const char*> cases[]{
      {-5s, "0 s"},      {999ms, "0 s"},           {55'999ms, "55 s"},
      {60s, "1 min"},    {109s, "1 min 49 s"},     {2h, "2 h"},
      {2h + 59s, "2 h"}, {2h + 3min, "2 h 3 min"}, {76h + 5min, "3 d 4 h"}};
  for (const auto& [time, text] : cases)
    CHECK(format_elapsed(time) == text);
}

TEST_CASE("a time is shown with its date and whole seconds", "[format]") {
  CHECK(format_time(Instant{}) == "1970-01-01 00:00:00");
  CHECK(format_time(from_ms(1'795'247'160'999)) == "2026-11-21 07:46:00");
}
