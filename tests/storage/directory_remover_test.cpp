// Removing directories beside other work: storage/directory_remover.hpp.

#include "storage/directory_remover.hpp"

#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST_CASE("a directory is removed with all that is in it, and no more",
          "[remover]") {
  test::TemporaryDirectory temporary;
  fs::path root{temporary.path("root")};
  fs::create_directories(root / "old/a/b");
  fs::create_directories(root / "other");
  std::ofstream{root / "old/a/b/file"} << "x";
  std::ofstream{root / "other/file"} << "x";
  fs::create_directory_symlink(root / "other", root / "old/a/link");
  std::promise<std::error_code> removed;
  DirectoryRemover x{[&](const fs::path& path, const std::error_code& error) {
    CHECK(path == root / "old");
    removed.set_value(error);
  }};
  x.remove(root / "old");
  auto result = removed.get_future();
  REQUIRE(result.wait_for(10s) == std::future_status::ready);
  CHECK_FALSE(result.get());
  CHECK_FALSE(fs::exists(root / "old"));
  CHECK(fs::exists(root / "other/file"));
}

TEST_CASE("directories are removed one after the other, also missing ones",
          "[remover]") {
  test::TemporaryDirectory temporary;
  fs::path root{temporary.path("root")};
  fs::create_directories(root / "b/c");
  std::vector<std::string> order;
  std::promise<void> all;
  DirectoryRemover x{[&](const fs::path& path, const std::error_code&) {
    order.push_back(path.filename());
    if (order.size() == 2)
      all.set_value();
  }};
  x.remove(root / "a");
  x.remove(root / "b");
  REQUIRE(all.get_future().wait_for(10s) == std::future_status::ready);
  CHECK(order == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(fs::exists(root / "b"));
}

TEST_CASE("a remover finishes what it was given, within the time it has",
          "[remover]") {
  test::TemporaryDirectory temporary;
  std::vector<std::string> removed;
  std::promise<void> go;
  DirectoryRemover x{[&, may_go = go.get_future().share()](
                         const fs::path& path, const std::error_code&) {
    may_go.wait();
    removed.push_back(path.filename());
  }};
  CHECK(x.finish(10s));
  for (const auto* name : {"a", "b"}) {
    fs::create_directories(temporary.path(name));
    x.remove(temporary.path(name));
  }
  CHECK_FALSE(x.finish(1ms));
  go.set_value();
  CHECK(x.finish(10s));
  CHECK(removed == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the end waits for no directory", "[remover]") {
  test::TemporaryDirectory temporary;
  fs::path root{temporary.path("root")};
  fs::create_directories(root);
  for (int i = 0; i < 20'000; ++i)
    std::ofstream{root / std::to_string(i)};
  auto began = std::chrono::steady_clock::now();
  {
    DirectoryRemover x{[](const fs::path&, const std::error_code&) {}};
    x.remove(root);
  }
  // Whatever was left is as it was.
  CHECK(std::chrono::steady_clock::now() - began < 10s);
}
