// Where a user without a home keeps what Stoker needs: embedding/machine.hpp.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "embedding/machine.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("own_directory names a directory and does not make it", "[machine]") {
  TemporaryDirectory parent;
  auto path = parent.path("stoker-7");
  CHECK(own_directory(path) == path);
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  CHECK(own_directory(path) == path);
}

TEST_CASE("a directory that others may write is not one's own", "[machine]") {
  TemporaryDirectory parent;
  auto path = parent.path("stoker-7");
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  SECTION("by its mode") {
    REQUIRE(::chmod(path.c_str(), 0777) == 0);
  }
  SECTION("as it is a link") {
    std::filesystem::create_directory(parent.path("elsewhere"));
    std::filesystem::remove(path);
    std::filesystem::create_symlink(parent.path("elsewhere"), path);
  }
  SECTION("as it is another user's") {
    constexpr uid_t other = 65534;
    if (::chown(path.c_str(), other, other) != 0)
      return skip("only root can give a directory away");
  }
  CHECK(own_directory(path) == path + "-2");
  REQUIRE(::mkdir((path + "-2").c_str(), 0700) == 0);
  CHECK(own_directory(path) == path + "-2");
}

TEST_CASE(
    "local workers are at localhost when Spark refuses the machine's name",
    "[machine]") {
  CHECK(host_of_local_workers("node_1") == "localhost");
  CHECK(host_of_local_workers("node-1") == "node-1");
}

TEST_CASE(
    "others are told the machine's name when a listener has all addresses",
    "[machine]") {
  CHECK(public_host("0.0.0.0") == machine_name());
  CHECK(public_host("::") == machine_name());
  CHECK(public_host("10.0.0.1") == "10.0.0.1");
}
