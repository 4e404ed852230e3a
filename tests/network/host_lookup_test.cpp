#include "network/host_lookup.hpp"

#include <future>
#include <new>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// Looks up `host`, and waits for what is found.
Result<HostEndpoints> found(const LookUp& look_up, const std::string& host) {
  std::promise<Result<HostEndpoints>> told;
  auto lookup
      = HostLookup::start(look_up, host, 7070, [&](Result<HostEndpoints> x) {
          told.set_value(std::move(x));
        });
  return told.get_future().get();
}

} // namespace

TEST_CASE("a lookup asks for names, and not for addresses", "[network]") {
  LookUp asked = [](const std::string& host, std::uint16_t) {
    return Result<HostEndpoints>{Error{Errc::not_alive, "asked for " + host}};
  };
  auto address = found(asked, "127.0.0.1");
  REQUIRE(address);
  REQUIRE(address->size() == 1);
  CHECK(address->front().port() == 7070);
  auto name = found(asked, "node");
  REQUIRE_FALSE(name);
  CHECK(name.error().message == "asked for node");
}

TEST_CASE("a lookup that throws is an error", "[network]") {
  auto result = found(
      [](const std::string&, std::uint16_t) -> Result<HostEndpoints> {
        throw std::bad_alloc{};
      },
      "node");
  REQUIRE_FALSE(result);
  CHECK(result.code() == Errc::not_alive);
}
