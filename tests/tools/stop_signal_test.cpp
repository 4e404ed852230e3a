// What stops a process that waits: embedding/stop_signal.hpp.

#include "embedding/stop_signal.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// The first signal that a process learns of that gets SIGHUP, then SIGTERM.
int first_signal(bool under_nohup, StopSignal::Hangup hangup) {
  auto child = ::fork();
  if (child == 0) {
    std::signal(SIGHUP, under_nohup ? SIG_IGN : SIG_DFL);
    StopSignal stop{hangup};
    ::kill(::getpid(), SIGHUP);
    ::kill(::getpid(), SIGTERM);
    ::_exit(stop.wait());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

} // namespace

TEST_CASE("the end of a terminal stops what was started there", "[signals]") {
  CHECK(first_signal(false, StopSignal::Hangup::stops) == SIGHUP);
}

TEST_CASE("the end of a terminal does not stop what nohup started",
          "[signals]") {
  CHECK(first_signal(true, StopSignal::Hangup::stops) == SIGTERM);
}

TEST_CASE("who reads something again on SIGHUP does so under nohup, too",
          "[signals]") {
  CHECK(first_signal(true, StopSignal::Hangup::reloads) == SIGHUP);
}
