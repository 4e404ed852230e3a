// Control groups, where this machine has some that we may write.

#include "process/cgroup.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

const std::string cgroup = cgroup_name("test-" + std::to_string(::getpid()));

/// A group, or nothing: the test has been skipped.
std::string group_or_skip() {
  auto result = create_cgroup(cgroup);
  if (result.empty())
    stoker::test::skip("no control groups that can be written");
  return result;
}

/// A process in the group, and one that it starts in a session of its own and
/// does not wait for. Both write their pids to a file.
pid_t start_family(const std::string& group, const std::string& file) {
  auto pid = ::fork();
  if (pid != 0)
    return pid;
  join_cgroup(group);
  if (::fork() == 0)
    ::setsid();
  std::ofstream{file, std::ios::app} << ::getpid() << '\n';
  while (true)
    ::pause();
}

} // namespace

TEST_CASE("all of a control group ends at once, and the group can go") {
  auto group = group_or_skip();
  if (group.empty())
    return;
  TemporaryDirectory directory;
  CHECK(cpu_time(group) == 0us);
  auto child = start_family(group, directory.path("pids"));
  auto pids = await_pids(directory.path("pids"), 2);
  for (auto pid : pids)
    CHECK(is_in_cgroup(pid, cgroup));
  CHECK_FALSE(is_in_cgroup(::getpid(), cgroup));
  // Not while somebody is in it.
  remove_cgroup(group);
  CHECK(std::filesystem::exists(group));
  kill_cgroup(group);
  CHECK(eventually([&] { return have_ended(pids); }));
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(cpu_time(group) > 0us);
  // What a program has made below it goes along.
  std::filesystem::create_directory(group + "/below");
  CHECK(eventually([&] {
    remove_cgroup(group);
    return !std::filesystem::exists(group);
  }));
}

TEST_CASE("a program runs in a control group, which goes with it") {
  auto group = group_or_skip();
  if (group.empty())
    return;
  remove_cgroup(group);
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  REQUIRE(watch.monitor().start("program", spec));
  auto started = watch.await<Started>("program");
  REQUIRE(started);
  auto own = state_in(spec.directory).cgroup;
  CHECK(std::filesystem::exists(own));
  CHECK(is_in_cgroup(started->pid, std::filesystem::path{own}.filename()));
  watch.monitor().end("program");
  CHECK(watch.await<Ended>("program"));
  CHECK(watch.monitor().wait_until_empty(patience));
  CHECK(eventually([&] { return !std::filesystem::exists(own); }));
}

TEST_CASE("without a control group nothing is done") {
  join_cgroup({});
  kill_cgroup({});
  remove_cgroup({});
  CHECK_FALSE(cpu_time({}));
  CHECK_FALSE(peak_memory({}));
  CHECK_FALSE(is_in_cgroup(::getpid(), cgroup));
}
