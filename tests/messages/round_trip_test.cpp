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

struct RoundTripFixture {
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

// Checks are made by few functions: what a template checks itself is compiled for
// each message.

/// As part of a `caf::message`, since that is what looks the type up by its
/// registered name.
bool survives_caf(caf::actor_system& system, const caf::message& original,
                  caf::message& copy) {
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  if (sink(original))
    return false;
  caf::binary_deserializer source{system, bytes};
  return !source(copy);
}

template <class T>
bool survives_caf(caf::actor_system& system, const T& original) {
  caf::message copy;
  return survives_caf(system, caf::make_message(original), copy)
         && copy.match_elements<T>() && copy.get_as<T>(0) == original;
}

/// As text, since that is what is stored.
template <class T>
bool survives_json(const T& original) {
  auto text = boost::json::serialize(to_json<Secrets::kept>(original));
  return from_json<T>(boost::json::parse(text)) == original;
}

constexpr std::uint64_t seeds = 20;

void check_nothing_failed(const std::string& message,
                          const std::string& failed) {
  INFO(message);
  CHECK(failed == "");
}

void check_none(const std::vector<std::string>& forgotten) {
  CHECK(forgotten == std::vector<std::string>{});
}

/// Checks `survives` for a message without contents, and for some with.
template <class T, class Survives>
void check_message(const Survives& survives) {
  std::string failed;
  if (!survives(T{}))
    failed += " empty";
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    if (!survives(filled<T>(seed)))
      failed += " seed " + std::to_string(seed);
  check_nothing_failed(message_name<T>, failed);
}

} // namespace

TEST_CASE_METHOD(RoundTripFixture,
                 "every message between processes survives the wire",
                 "[messages]") {
  auto survives = [&](const auto& x) { return survives_caf(system, x); };
#define STOKER_CHECK(Type) check_message<Type>(survives);
  STOKER_WIRE_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

TEST_CASE("every message survives as JSON", "[messages]") {
  auto survives = [](const auto& x) { return survives_json(x); };
#define STOKER_CHECK(Type) check_message<Type>(survives);
  STOKER_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

// The tests above prove nothing about a field that was left at its default.
TEST_CASE("random contents leave no field at its default", "[messages]") {
#define STOKER_CHECK(Type)                                                     \
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {                        \
    std::vector<std::string> forgotten;                                        \
    test::find_equal_fields(filled<Type>(seed), Type{}, message_name<Type>,    \
                            forgotten);                                        \
    check_none(forgotten);                                                     \
  }
  STOKER_MESSAGES(STOKER_CHECK)
#undef STOKER_CHECK
}

TEST_CASE_METHOD(RoundTripFixture, "several messages travel in one, in order",
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
