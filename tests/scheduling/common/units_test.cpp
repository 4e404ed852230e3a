// Quantities as people write them.

#include "scheduling/common/units.hpp"

#include <string>
#include <utility>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("memory is written with a unit, or in MB", "[units]") {
  const std::pair<const char*, std::int64_t> cases[]{
      {"0", 0},          {"512", 512},   {"512m", 512},   {"512M", 512},
      {"512mb", 512},    {"512MB", 512}, {"512MiB", 512}, {"4g", 4096},
      {"4G", 4096},      {"4GB", 4096},  {"4gib", 4096},  {"1t", 1048576},
      {"2TiB", 2097152}, {"007m", 7}};
  for (const auto& [text, mb] : cases) {
    INFO(text);
    CHECK(parse_memory_mb(text) == mb);
  }
}

TEST_CASE("what is no amount of memory is refused", "[units]") {
  for (const auto* text :
       {"", " ", "g", "-1", "-1g", "+1g", "1.5g", "1 g", " 1g", "1g ", "1gg",
        "1k", "1b", "0x10", "1e3", "9223372036854775808",
        "9223372036854775807g", "99999999999999999999t"}) {
    INFO(text);
    CHECK_FALSE(parse_memory_mb(text));
  }
}

TEST_CASE("memory of Spark's is also written in smaller units", "[units]") {
  CHECK(parse_spark_memory_mb("2g") == 2048);
  CHECK(parse_spark_memory_mb("700") == 700);
  CHECK(parse_spark_memory_mb("65536k") == 64);
  CHECK(parse_spark_memory_mb("1b") == 0);
  CHECK_FALSE(parse_spark_memory_mb("a lot"));
}

TEST_CASE("a duration is written with a unit, or in seconds", "[units]") {
  const std::pair<const char*, Duration> cases[]{
      {"0", 0ms},   {"15", 15s},    {"500ms", 500ms},   {"15s", 15s},
      {"15S", 15s}, {"10m", 10min}, {"10min", 10min},   {"1h", 1h},
      {"2d", 48h},  {"0ms", 0ms},   {"36500d", 876000h}};
  for (const auto& [text, duration] : cases) {
    INFO(text);
    CHECK(parse_duration(text) == duration);
  }
}

TEST_CASE("what is no duration is refused", "[units]") {
  for (const auto* text : {"", "s", "-1s", "1.5s", "1 s", "1sec", "1us", "1w",
                           "9223372036854775807h", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("a duration that no sum with a time of day could hold is refused",
          "[units]") {
  CHECK_FALSE(parse_duration("36501d"));
  CHECK_FALSE(parse_duration("9223372036854775807ms"));
}

TEST_CASE("a time in seconds is cut to whole ones, as Spark does", "[units]") {
  constexpr auto longest = std::chrono::seconds{std::chrono::hours{876'000}};
  const std::pair<const char*, std::chrono::seconds> cases[]{
      {"0", 0s},
      {"15", 15s},
      {"007", 7s},
      {" 15s ", 15s},
      {"15S", 15s},
      {"10m", 10min},
      {"10Min", 10min},
      {"1h", 1h},
      {"2d", 48h},
      {"999ms", 0s},
      {"1999ms", 1s},
      {"1999999us", 1s},
      {"2000000US", 2s},
      {"-1", -1s},
      {"-2m", -2min},
      {"-1999ms", -1s},
      {"-999ms", 0s},
      {"36500d", longest},
      {"36501d", longest},
      {"9223372036854775807", longest},
      {"9223372036854775807d", longest},
      {"-9223372036854775807d", -longest}};
  for (const auto& [text, time] : cases) {
    INFO(text);
    CHECK(parse_seconds(text) == time);
  }
}

TEST_CASE("what is no time in seconds is refused", "[units]") {
  for (const auto* text :
       {"", " ", "s", "-", "-s", "--1", "- 1", "+1s", "1.5s", "1.0", "1 s",
        "1sec", "1w", "1ns", "1s1", "s1", "9223372036854775808",
        "99999999999999999999ms", "infinity"}) {
    INFO(text);
    CHECK_FALSE(parse_seconds(text));
  }
}

TEST_CASE("a count is a whole number", "[units]") {
  CHECK(parse_count("0") == 0);
  CHECK(parse_count("2147483647") == 2147483647);
  CHECK(parse_count("-3") == -3);
  for (const auto* text : {"", "+1", "1.0", "1x", " 1", "2147483648", "x"}) {
    INFO(text);
    CHECK_FALSE(parse_count(text));
  }
}

TEST_CASE("a flag is true or false", "[units]") {
  CHECK(parse_flag("true") == true);
  CHECK(parse_flag("false") == false);
  for (const auto* text : {"", "1", "yes", "True", "true "}) {
    INFO(text);
    CHECK_FALSE(parse_flag(text));
  }
}
