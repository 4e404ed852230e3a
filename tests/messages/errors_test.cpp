// Errors as people and programs see them.

#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/error.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "messages/caf_error.hpp"
#include "messages/registry.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

struct ErrorsFixture {
  struct Config : caf::actor_system_config {
    Config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("testing"));
      set("logger.verbosity", caf::atom("quiet"));
    }
  } config;
  caf::actor_system system{config};
};

} // namespace

TEST_CASE("every error has a name of its own", "[messages]") {
  for (int i = 0; i <= static_cast<int>(Errc::no_listener); ++i) {
    INFO(i);
    CHECK(std::string{to_string(static_cast<Errc>(i))} != "?");
    for (int j = 0; j < i; ++j)
      CHECK(std::string{to_string(static_cast<Errc>(i))}
            != to_string(static_cast<Errc>(j)));
  }
}

TEST_CASE_METHOD(ErrorsFixture, "an error is shown as its sentence",
                 "[messages]") {
  auto error = caf::make_error(Errc::not_found, "app-1 is not known here");
  CHECK(system.render(error) == "app-1 is not known here");
}

TEST_CASE_METHOD(ErrorsFixture,
                 "an error without a sentence is shown by its name",
                 "[messages]") {
  CHECK(system.render(caf::make_error(Errc::not_alive)) == "not_alive");
}

TEST_CASE_METHOD(ErrorsFixture,
                 "an error with figures shows them after its name",
                 "[messages]") {
  CHECK(system.render(caf::make_error(Errc::not_found, 1, 2))
        == "not_found(1, 2)");
}

TEST_CASE_METHOD(ErrorsFixture,
                 "an error keeps its code and sentence on the wire",
                 "[messages]") {
  auto original = caf::make_error(Errc::not_running, "it waits for a worker");
  std::vector<char> bytes;
  caf::binary_serializer sink{system, bytes};
  REQUIRE(!sink(original));
  caf::error copy;
  caf::binary_deserializer source{system, bytes};
  REQUIRE(!source(copy));
  CHECK(copy == caf::make_error(Errc::not_running));
  CHECK(system.render(copy) == "it waits for a worker");
}
