// A master's directory: storage/data_directory.hpp.

#include "storage/data_directory.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Why it cannot be had; empty if it can.
std::string why_not_opened(const std::string& path) {
  auto result = DataDirectory::open(path);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("a data directory is created, and closed to others", "[storage]") {
  TemporaryDirectory parent;
  auto old = umask(0);
  auto path = parent.path(GENERATE("data", "a/b/data", "data/", "./data"));
  auto opened = DataDirectory::open(path);
  umask(old);
  INFO(path);
  REQUIRE(opened);
  CHECK(opened->path() == path);
  CHECK(mode_of(path) == 0700);
  CHECK(mode_of(path + "/lock") == 0600);
}

TEST_CASE("a second master is refused", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto first = DataDirectory::open(path);
  REQUIRE(first);
  CHECK(DataDirectory::open(path).code() == Errc::in_use);
  CHECK(why_not_opened(path)
        == "cannot use the data directory " + path
               + ": another master has it; choose another with --data");
  // Not by another name either.
  CHECK(why_not_opened(parent.path("./data")) != "");
}

TEST_CASE("the lock is free once a master has ended", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  {
    auto first = DataDirectory::open(path);
    REQUIRE(first);
    // Moved, not copied: it is the same lock.
    auto moved = *std::move(first);
    CHECK(why_not_opened(path) != "");
  }
  CHECK(why_not_opened(path).empty());
  CHECK(why_not_opened(path).empty());
}

TEST_CASE("a directory that cannot be used is named, with the reason",
          "[storage]") {
  TemporaryDirectory parent;
  auto file = parent.write("file", "");
  auto problem = why_not_opened(file + "/data");
  CHECK(problem.find("cannot use the data directory " + file + "/data: ") == 0);
  CHECK(problem.find("Not a directory") != std::string::npos);
  CHECK(why_not_opened(file) != "");
  CHECK(why_not_opened("") != "");
}

TEST_CASE("a lock that leads elsewhere is not followed", "[storage]") {
  TemporaryDirectory parent;
  std::filesystem::create_directory(parent.path("data"));
  auto target = parent.path("target");
  std::filesystem::create_symlink(target, parent.path("data/lock"));
  CHECK(why_not_opened(parent.path("data")) != "");
  CHECK_FALSE(std::filesystem::exists(target));
}

TEST_CASE("a lock whose file was removed or replaced is lost", "[storage]") {
  TemporaryDirectory parent;
  auto path = parent.path("data");
  auto opened = DataDirectory::open(path);
  REQUIRE(opened);
  const auto& first = *opened;
  CHECK(first.is_locked());
  std::filesystem::remove(path + "/lock");
  CHECK_FALSE(first.is_locked());
  auto second = DataDirectory::open(path);
  REQUIRE(second);
  CHECK_FALSE(first.is_locked());
  CHECK(second->is_locked());
}
