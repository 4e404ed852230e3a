// Which process a new leader takes for a driver or a worker that is stored.

#include "gateway/recall_rules.hpp"

#include <unistd.h>

#include "gateway/user_name.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr uid_t nobody = 65534;

SparkRecall driver_of(const std::string& user) {
  SparkDriverRecall result;
  result.app_id = AppId{"app-1"};
  result.description.user = user;
  result.description.spark_driver
      = SparkDriver{"127.0.0.1", 40'253, "3.5.9", {}};
  return result;
}

} // namespace

TEST_CASE("a new leader believes a process of the driver's user alone",
          "[gateway]") {
  auto users = GENERATE(SparkUsers::own, SparkUsers::local, SparkUsers::any);
  auto own = driver_of(user_name(::geteuid()));
  CHECK(check_owner(own, users, ::geteuid()));
  CHECK_FALSE(check_owner(own, users, nobody));
  CHECK_FALSE(check_owner(own, users, std::nullopt));
}

TEST_CASE("a new leader believes no user who may not use the master",
          "[gateway]") {
  auto of_nobody = driver_of(user_name(nobody));
  CHECK_FALSE(check_owner(of_nobody, SparkUsers::own, nobody));
  CHECK(check_owner(of_nobody, SparkUsers::local, nobody));
  CHECK(check_owner(of_nobody, SparkUsers::any, nobody));
}

TEST_CASE("a new leader believes workers of its own user alone", "[gateway]") {
  auto users = GENERATE(SparkUsers::own, SparkUsers::local, SparkUsers::any);
  SparkRecall worker = SparkWorkerRecall{};
  CHECK(check_owner(worker, users, ::geteuid()));
  CHECK(check_owner(worker, users, 0));
  CHECK_FALSE(check_owner(worker, users, nobody));
  CHECK_FALSE(check_owner(worker, users, std::nullopt));
}
