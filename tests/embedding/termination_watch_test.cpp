// SIGTERM of an executor process: embedding/termination_watch.hpp.

#include "embedding/termination_watch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE("a process hears its own SIGTERM and not that of a forked child",
          "[termination]") {
  std::promise<void> heard;
  auto came = heard.get_future();
  TerminationWatch watch{[&] { heard.set_value(); }};
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(10);
    for (;;)
      ::pause();
  }
  ::kill(child, SIGTERM);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(came.wait_for(0s) == std::future_status::timeout);
  ::kill(::getpid(), SIGTERM);
  CHECK(came.wait_for(10s) == std::future_status::ready);
}

TEST_CASE("a termination watch ends without SIGTERM", "[termination]") {
  for (int i = 0; i < 2; ++i)
    TerminationWatch watch{[] { FAIL("there was no signal"); }};
}
