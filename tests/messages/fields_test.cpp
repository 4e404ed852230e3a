// Under which names and as what the fields of described structs are written.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "messages/json_text.hpp"
#include "tests/support/catch.hpp"

namespace stoker {

struct Visit {
  std::string name;
  Instant began;
  std::optional<Instant> ended;
  Duration limit{};
  std::map<std::string, std::string> environment;

  friend bool operator==(const Visit&, const Visit&) = default;
};
BOOST_DESCRIBE_STRUCT(Visit, (), (name, began, ended, limit, environment))

struct VisitInNumbers {
  std::string name;
  std::int64_t began_ms = 0;
  std::optional<std::int64_t> ended_ms;
  std::int64_t limit = 0;
  std::map<std::string, std::string> environment;
};
BOOST_DESCRIBE_STRUCT(VisitInNumbers, (),
                      (name, began_ms, ended_ms, limit, environment))

namespace {

Visit example() {
  return {"x", from_ms(1795247160999), from_ms(-1), Duration{5}, {{"A", "b"}}};
}

template <class T>
std::vector<char> bytes_of(T x) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::vector<char> result;
  caf::binary_serializer sink{system, result};
  REQUIRE(!sink(x));
  return result;
}

} // namespace

TEST_CASE("a point in time is written in milliseconds, and says so",
          "[messages]") {
  CHECK(boost::json::serialize(to_json(example()))
        == R"({"name":"x","began_ms":1795247160999,"ended_ms":-1,"limit":5,)"
           R"JSON("environment":{"A":"(hidden)"}})JSON");
  CHECK(boost::json::serialize(to_json(Visit{}))
        == R"({"name":"","began_ms":0,"ended_ms":null,"limit":0,)"
           R"("environment":{}})");
}

TEST_CASE("the text that is written at once is the same", "[messages]") {
  for (const auto& x : {example(), Visit{}}) {
    std::string hidden;
    append_json(hidden, x);
    CHECK(hidden == boost::json::serialize(to_json(x)));
    std::string kept;
    append_json<Secrets::kept>(kept, x);
    CHECK(kept == boost::json::serialize(to_json<Secrets::kept>(x)));
  }
}

TEST_CASE("what was written is read", "[messages]") {
  for (const auto& x : {example(), Visit{}}) {
    auto text = boost::json::serialize(to_json<Secrets::kept>(x));
    CHECK(from_json<Visit>(boost::json::parse(text)) == x);
  }
  CHECK_THROWS_WITH(from_json<Visit>(boost::json::parse(R"({"ended_ms":"x"})")),
                    "ended_ms: expected a whole number that fits");
}

TEST_CASE("on the wire a point in time is its number", "[messages]") {
  auto bytes = bytes_of(example());
  CHECK(bytes
        == bytes_of(VisitInNumbers{"x", 1795247160999, -1, 5, {{"A", "b"}}}));
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::binary_deserializer source{system, bytes};
  Visit copy;
  REQUIRE(!source(copy));
  CHECK(copy == example());
}

} // namespace stoker
