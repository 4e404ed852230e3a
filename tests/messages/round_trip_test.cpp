// Every message, with random contents in every field, through CAF and JSON.

#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "messages/all.hpp"
#include "messages/json.hpp"
#include "messages/registry.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fill.hpp"

using namespace stoker;

namespace {

struct Config : caf::actor_system_config {
  Config() {
    register_messages(*this);
    // No threads: nothing runs here.
    set("scheduler.policy", caf::atom("testing"));
    set("logger.verbosity", caf::atom("quiet"));
  }
};

struct Fixture {
  Config config;
  caf::actor_system system{config};
};

template <class T>
T filled(std::uint64_t seed) {
  Random random{seed};
  T result;
  test::fill(result, random);
  return result;
}

/// As part of a `caf::message`, since that is what looks the type up by its
/// registered name.
template <class T>
void check_caf(caf::actor_system& system, const T& original) {
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  REQUIRE(!sink(caf::make_message(original)));
  caf::message copy;
  caf::binary_deserializer source{system, bytes};
  REQUIRE(!source(copy));
  REQUIRE(copy.match_elements<T>());
  CHECK(copy.get_as<T>(0) == original);
}

/// As text, since that is what is stored.
template <class T>
void check_json(const T& original) {
  auto text = boost::json::serialize(to_json<Secrets::kept>(original));
  CHECK(from_json<T>(boost::json::parse(text)) == original);
}

template <class T>
void check_filled(const T& x) {
  std::vector<std::string> forgotten;
  test::find_equal_fields(x, T{}, message_name<T>, forgotten);
  CHECK(forgotten == std::vector<std::string>{});
}

constexpr std::uint64_t seeds = 20;

} // namespace

TEST_CASE_METHOD(Fixture, "every message between processes survives the wire",
                 "[messages]") {
#define STOKER_CHECK(Type)                                                     \
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {                        \
    INFO(#Type << ", seed " << seed);                                          \
    check_caf(system, filled<Type>(seed));                                     \
  }                                                                            \
  check_caf(system, Type{});
  STOKER_WIRE_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

TEST_CASE("every message survives as JSON", "[messages]") {
#define STOKER_CHECK(Type)                                                     \
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {                        \
    INFO(#Type << ", seed " << seed);                                          \
    check_json(filled<Type>(seed));                                            \
  }                                                                            \
  check_json(Type{});
  STOKER_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

// The tests above prove nothing about a field that was left at its default.
TEST_CASE("random contents leave no field at its default", "[messages]") {
#define STOKER_CHECK(Type)                                                     \
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)                          \
    check_filled(filled<Type>(seed));
  STOKER_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

TEST_CASE_METHOD(Fixture, "several messages travel in one, in order",
                 "[messages]") {
  auto first = filled<LaunchExecutor>(1);
  auto second = filled<ExecutorStateChanged>(2);
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  REQUIRE(!sink(caf::make_message(first, second)));
  caf::message copy;
  caf::binary_deserializer source{system, bytes};
  REQUIRE(!source(copy));
  REQUIRE((copy.match_elements<LaunchExecutor, ExecutorStateChanged>()));
  CHECK(copy.get_as<LaunchExecutor>(0) == first);
  CHECK(copy.get_as<ExecutorStateChanged>(1) == second);
}
