// What control groups leave to a worker: made-up groups of a machine, a unit and
// a container.

#include "embedding/control_groups.hpp"

#include <sstream>

#include "embedding/machine.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct Groups {
  TemporaryDirectory place;

  void write(const std::string& file, const std::string& text) {
    std::filesystem::path path{place.path(file)};
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text << '\n';
  }

  ControlGroupLimits read(const std::string& membership) {
    std::istringstream in{membership};
    return read_control_groups(place.path(""), in);
  }
};

constexpr std::int64_t gigabyte = std::int64_t{1} << 30;

} // namespace

TEST_CASE("a group of version 2 limits cores and memory", "[machine]") {
  Groups x;
  x.write("system.slice/worker.service/memory.max", "4294967296");
  x.write("system.slice/worker.service/cpu.max", "250000 100000");
  CHECK(x.read("0::/system.slice/worker.service\n")
        == ControlGroupLimits{3, 4 * gigabyte});
}

TEST_CASE("the tightest of all groups above counts", "[machine]") {
  Groups x;
  x.write("a/memory.max", "1073741824");
  x.write("a/b/memory.max", "max");
  x.write("a/b/c/memory.max", "4294967296");
  x.write("a/cpu.max", "max 100000");
  x.write("a/b/cpu.max", "50000 100000");
  CHECK(x.read("0::/a/b/c\n") == ControlGroupLimits{1, gigabyte});
}

TEST_CASE("groups of version 1 limit cores and memory", "[machine]") {
  Groups x;
  x.write("memory/docker/1/memory.limit_in_bytes", "2147483648");
  x.write("memory/memory.limit_in_bytes", "9223372036854771712");
  x.write("cpu/docker/1/cpu.cfs_quota_us", "400000");
  x.write("cpu/docker/1/cpu.cfs_period_us", "100000");
  x.write("cpu/cpu.cfs_quota_us", "-1");
  x.write("cpu/cpu.cfs_period_us", "100000");
  CHECK(x.read("4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n")
        == ControlGroupLimits{4, 2 * gigabyte});
}

TEST_CASE("in a container the group is where groups are", "[machine]") {
  Groups x;
  x.write("memory.max", "1073741824");
  CHECK(x.read("0::/not/seen/from/inside\n")
        == ControlGroupLimits{std::nullopt, gigabyte});
  CHECK(x.read("0::/../other\n") == ControlGroupLimits{std::nullopt, gigabyte});
}

TEST_CASE("without groups, or with broken ones, there is no limit",
          "[machine]") {
  Groups x;
  CHECK(x.read("") == ControlGroupLimits{});
  CHECK(x.read("0::/nowhere\nwhat\n1:memory\n") == ControlGroupLimits{});
  x.write("a/memory.max", "a lot");
  x.write("a/cpu.max", "100000 0");
  x.write("memory/a/memory.limit_in_bytes", "-1");
  CHECK(x.read("0::/a\n1:memory:/a\n") == ControlGroupLimits{});
}

TEST_CASE("a machine offers what its limits leave", "[machine]") {
  CHECK(memory_to_offer_mb(16 * gigabyte, {}) == 15 * 1024);
  CHECK(memory_to_offer_mb(16 * gigabyte, 4 * gigabyte) == 3 * 1024);
  CHECK(memory_to_offer_mb(16 * gigabyte, 64 * gigabyte) == 15 * 1024);
  CHECK(memory_to_offer_mb(gigabyte, {}) == 512);
  CHECK(machine_cores() >= 1);
  CHECK(machine_memory_mb() >= 512);
}
