// What a Result promises: storage of a value or of an error, never of both.

#include "messages/result.hpp"

#include <memory>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

Result<int> half(int x) {
  if (x % 2 != 0)
    return Error{Errc::invalid_request, std::to_string(x) + " is odd"};
  return x / 2;
}

Status check_quarter(int x) {
  auto once = half(x);
  if (!once)
    return std::move(once).error();
  if (auto twice = half(*once); !twice)
    return std::move(twice).error();
  return {};
}

} // namespace

TEST_CASE("a result has a value or an error", "[messages]") {
  auto good = half(4);
  REQUIRE(good);
  CHECK(*good == 2);
  CHECK(good.code() == Errc::none);
  auto bad = half(3);
  REQUIRE_FALSE(bad);
  CHECK(bad.error() == Error{Errc::invalid_request, "3 is odd"});
  CHECK(bad.code() == Errc::invalid_request);
}

TEST_CASE("an error is handed on as that of another result", "[messages]") {
  CHECK(check_quarter(8));
  CHECK(check_quarter(5).error().message == "5 is odd");
  CHECK(check_quarter(6).error().message == "3 is odd");
}

TEST_CASE("a result may hold what can only be moved", "[messages]") {
  Result<std::unique_ptr<std::string>> x = std::make_unique<std::string>("x");
  REQUIRE(x);
  CHECK((*x)->size() == 1);
  auto taken = *std::move(x);
  CHECK(*taken == "x");
}

TEST_CASE("a sentence that says what is wrong becomes a status", "[messages]") {
  Status status = invalid("no worker");
  CHECK(status.error() == Error{Errc::invalid_request, "no worker"});
}
