// Where a program that embeds a cluster finds what supervises programs.

#include "embedding/supervisor_path.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

struct Programs {
  TemporaryDirectory directory;

  /// Returns its path.
  std::string add(const std::string& name, const std::string& content) const {
    auto path = directory.write(name, content);
    ::chmod(path.c_str(), 0755);
    return path;
  }
};

} // namespace

TEST_CASE("the small program beside `stoker` supervises", "[supervisor]") {
  Programs programs;
  auto stoker = programs.add("stoker", "large");
  CHECK(find_supervisor(stoker).value().executable == stoker);
  programs.add("stoker-supervise", "small");
  auto found = find_supervisor(stoker);
  REQUIRE(found);
  CHECK(read_file(found->executable) == "small");
}

TEST_CASE("what supervises stays the same when its file is replaced",
          "[supervisor]") {
  Programs programs;
  auto stoker = programs.add("stoker", "large");
  programs.add("stoker-supervise", "small");
  auto found = find_supervisor(stoker);
  REQUIRE(found);
  std::filesystem::rename(programs.add("new", "new version"),
                          programs.directory.path("stoker-supervise"));
  CHECK(read_file(found->executable) == "small");
  CHECK(read_file(find_supervisor(stoker).value().executable) == "new version");
}

TEST_CASE("a program of another name supervises itself", "[supervisor]") {
  Programs programs;
  programs.add("stoker-supervise", "small");
  auto other = programs.add("other", "large");
  CHECK(find_supervisor(other).value().executable == other);
}

TEST_CASE("what cannot be executed does not supervise", "[supervisor]") {
  Programs programs;
  auto stoker = programs.directory.write("stoker", "large");
  CHECK_FALSE(find_supervisor(stoker));
  CHECK_FALSE(find_supervisor(programs.directory.path("missing")));
  programs.add("stoker", "large");
  programs.directory.write("stoker-supervise", "small");
  CHECK(find_supervisor(stoker).value().executable == stoker);
}
