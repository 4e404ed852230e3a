// What stops a process that waits: embedding/stop_signal.hpp, embedding/signal_watch.hpp.

#include "embedding/signal_watch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>

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

TEST_CASE("a child ignores no signal that only its parent ignores",
          "[signals]") {
  auto child = ::fork();
  if (child == 0) {
    for (auto signal : {SIGXFSZ, SIGPIPE, SIGUSR2})
      std::signal(signal, SIG_IGN);
    StopSignal stop;
    stop.add(SIGUSR1);
    StopSignal::restore();
    auto good = true;
    for (auto signal : {SIGXFSZ, SIGPIPE, SIGUSR2}) {
      struct sigaction now {};
      good = good && ::sigaction(signal, nullptr, &now) == 0
             && now.sa_handler == SIG_DFL;
    }
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (auto signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
      good = good && ::sigismember(&blocked, signal) == 0;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("another signal may be waited for, too", "[signals]") {
  auto child = ::fork();
  if (child == 0) {
    StopSignal stop;
    stop.add(SIGUSR1);
    ::kill(::getpid(), SIGUSR1);
    ::_exit(stop.wait());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == SIGUSR1);
}

TEST_CASE("a watch calls for each signal, and ends without one", "[signals]") {
  // In a process of its own: it blocks signals for good.
  auto child = ::fork();
  if (child == 0) {
    StopSignal stop;
    auto heard = 0;
    {
      std::promise<void> first;
      std::promise<void> second;
      SignalWatch watch{stop, [&](int number) {
                          heard = 10 * heard + (number == SIGINT ? 1 : 2);
                          (number == SIGINT ? first : second).set_value();
                        }};
      ::kill(::getpid(), SIGINT);
      first.get_future().wait();
      ::kill(::getpid(), SIGTERM);
      second.get_future().wait();
    }
    // Neither a signal nor a thread is left of it.
    SignalWatch other{stop, [&](int) { heard = 99; }};
    if (stop.wait_for(std::chrono::milliseconds{0}))
      heard = 98;
    ::_exit(heard);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 12);
}
