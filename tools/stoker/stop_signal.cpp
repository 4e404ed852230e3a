#include "tools/stoker/stop_signal.hpp"

#include <csignal>
#include <ctime>

namespace stoker {

namespace {

sigset_t stop_signals() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGTERM);
  sigaddset(&result, SIGHUP);
  return result;
}

} // namespace

StopSignal::StopSignal() {
  auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// Not static: only where there is an object are the signals kept from threads.
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
int StopSignal::wait() {
  auto signals = stop_signals();
  int number = 0;
  sigwait(&signals, &number);
  return number;
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
std::optional<int> StopSignal::wait_for(std::chrono::milliseconds patience) {
  auto signals = stop_signals();
  timespec timeout{patience.count() / 1000,
                   (patience.count() % 1000) * 1'000'000};
  auto number = sigtimedwait(&signals, nullptr, &timeout);
  return number > 0 ? std::optional{number} : std::nullopt;
}

void StopSignal::restore() {
  auto signals = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace stoker
