#include "embedding/stop_signal.hpp"

#include <ctime>

namespace stoker {

namespace {

/// What this process was started with, before anything here changed it.
struct StartedWith {
  sigset_t ignored{};
  sigset_t blocked{};

  StartedWith() {
    sigemptyset(&ignored);
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction now {};
      if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
        sigaddset(&ignored, signal);
    }
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  }
};

/// Made before main.
const StartedWith started_with;

/// Whether whoever started this process wants it to outlive its terminal.
bool outlives_terminal() {
  struct sigaction now {};
  return sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t stop_signals(bool with_hangup) {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGTERM);
  if (with_hangup)
    sigaddset(&result, SIGHUP);
  return result;
}

} // namespace

StopSignal::StopSignal(Hangup hangup)
    : signals_(
        stop_signals(hangup == Hangup::reloads || !outlives_terminal())) {
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

void StopSignal::add(int signal) {
  sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

int StopSignal::wait() const {
  int number = 0;
  sigwait(&signals_, &number);
  return number;
}

std::optional<int>
StopSignal::wait_for(std::chrono::milliseconds patience) const {
  timespec timeout{patience.count() / 1000,
                   (patience.count() % 1000) * 1'000'000};
  auto number = sigtimedwait(&signals_, nullptr, &timeout);
  return number > 0 ? std::optional{number} : std::nullopt;
}

void StopSignal::release() {
  auto signals = stop_signals(true);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void StopSignal::restore() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN
        && sigismember(&started_with.ignored, signal) == 0)
      std::signal(signal, SIG_DFL);
  }
  pthread_sigmask(SIG_SETMASK, &started_with.blocked, nullptr);
  release();
}

} // namespace stoker
