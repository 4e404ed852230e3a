// A worker that can open no further file.

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/cluster/output_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker::test;

namespace {

/// While this object lives, all descriptors that another process may have are in use.
class ShortOfDescriptors {
public:
  explicit ShortOfDescriptors(pid_t pid) : pid_(pid) {
    REQUIRE(::prlimit(pid, RLIMIT_NOFILE, nullptr, &before_) == 0);
    auto none = before_;
    // A descriptor that was in use for a moment is free below the limit later.
    constexpr auto looks = 10;
    auto full = 0;
    REQUIRE(eventually([&] {
      auto free = first_free();
      full = free == none.rlim_cur ? full + 1 : 0;
      none.rlim_cur = free;
      return ::prlimit(pid_, RLIMIT_NOFILE, &none, nullptr) == 0
             && full == looks;
    }));
  }

  ~ShortOfDescriptors() {
    ::prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr);
  }

  ShortOfDescriptors(const ShortOfDescriptors&) = delete;
  ShortOfDescriptors& operator=(const ShortOfDescriptors&) = delete;

private:
  [[nodiscard]] rlim_t first_free() const {
    std::set<std::string> used;
    for (const auto& x : std::filesystem::directory_iterator{
             "/proc/" + std::to_string(pid_) + "/fd"})
      used.insert(x.path().filename());
    rlim_t result = 0;
    while (used.contains(std::to_string(result)))
      ++result;
    return result;
  }

  pid_t pid_;
  rlimit before_{};
};

} // namespace

TEST_CASE("a worker whose descriptors are all in use keeps output and reports "
          "no loss") {
  OutputCluster cluster;
  cluster.start_master();
  auto worker = cluster.start_worker();
  auto& run = cluster.start_script(
      1, "wait_for() { until [ -e $1 ]; do sleep 0.05; done; }; "
         "echo before; wait_for go; seq 1 20000; echo after; touch done; "
         "wait_for end");
  REQUIRE(eventually([&] { return run.out() == "before\n"; }));
  {
    ShortOfDescriptors shortage{worker.process->pid()};
    std::ofstream{cluster.path("go")};
    REQUIRE(eventually(
        [&] { return std::filesystem::exists(cluster.path("done")); }));
    CHECK(
        eventually([&] { return contains(run.err(), "Too many open files"); }));
    CHECK(run.running());
    CHECK(run.out() == "before\n");
  }
  // The end of the program frees descriptors.
  std::ofstream{cluster.path("end")};
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  CHECK(lines.size() == 20'002);
  CHECK(lines.front() == "before");
  CHECK(lines.back() == "after");
  for (const auto* loss : {"are gone", "is lost", "dropped", "incomplete"})
    CHECK_FALSE(contains(result.err, loss));
}
