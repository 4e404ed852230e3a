#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

#if defined(STOKER_SANITIZED)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// The sum of the lines of smaps_rollup that start with `name`, in kB. No
/// process has none of what is asked for here.
long memory_kb(pid_t pid, const std::string& name) {
  auto path = "/proc/" + std::to_string(pid) + "/smaps_rollup";
  std::ifstream in{path};
  INFO(path);
  REQUIRE(in);
  long result = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name))
      continue;
    std::istringstream fields{line.substr(line.find(':') + 1)};
    long kb = 0;
    fields >> kb;
    result += kb;
  }
  INFO(name);
  REQUIRE(result > 0);
  return result;
}

void show(const char* who, pid_t pid) {
  std::cout << who << ": RSS " << memory_kb(pid, "Rss") << " kB, PSS "
            << memory_kb(pid, "Pss:") << " kB, private "
            << memory_kb(pid, "Private_") << " kB\n";
}

} // namespace

TEST_CASE("a hundred programs run at once") {
  constexpr int count = 100;
  using Clock = std::chrono::steady_clock;
  TemporaryDirectory directory;
  Watch watch;
  auto begin = Clock::now();
  auto lap = [&] {
    auto now = Clock::now();
    auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        now - std::exchange(begin, now));
    return took.count();
  };
  for (int i = 0; i < count; ++i) {
    auto name = std::to_string(i);
    REQUIRE(
        watch.monitor().start(name, spec_for(directory.path(name), {"sleep"})));
  }
  for (int i = 0; i < count; ++i)
    REQUIRE(watch.await<Started>(std::to_string(i)));
  std::cout << count << " programs started in " << lap() << " ms\n";
  watch.monitor().end_all();
  CHECK(watch.monitor().wait_until_empty(patience));
  std::cout << count << " programs ended in " << lap() << " ms\n";
  for (int i = 0; i < count; ++i)
    CHECK(watch.reports(std::to_string(i)).size() == 2);
}

TEST_CASE("supervisor and guard take little memory") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  // A big environment must not stay around.
  for (int i = 0; i < 100; ++i)
    spec.environment["VARIABLE_" + std::to_string(i)] = std::string(1000, 'x');
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  auto state = state_in(spec.directory);
  show("supervisor", state.supervisor.pid);
  show("guard", state.guard.pid);
  // A sanitizer's own memory is not what is looked at.
  if (sanitized)
    return;
  CHECK(memory_kb(state.supervisor.pid, "Private_") < 4096);
  CHECK(memory_kb(state.guard.pid, "Private_") < 4096);
}
