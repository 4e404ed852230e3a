#include "embedding/termination_watch.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace stoker {

namespace {

/// State of the handler. A fork copies it: a child posts to no thread of its parent.
sem_t termination_wakes;
std::atomic<pid_t> termination_process;
std::atomic<bool> termination_came;

static_assert(std::atomic<pid_t>::is_always_lock_free
              && std::atomic<bool>::is_always_lock_free);

extern "C" void handle_termination(int signal) {
  auto error = errno;
  if (::getpid() == termination_process) {
    termination_came = true;
    ::sem_post(&termination_wakes);
  } else {
    // It comes when this handler returns.
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  errno = error;
}

} // namespace

TerminationWatch::TerminationWatch(std::function<void()> heard) {
  ::sem_init(&termination_wakes, 0, 0);
  termination_process = ::getpid();
  termination_came = false;
  thread_ = std::thread{[heard = std::move(heard)] {
    while (::sem_wait(&termination_wakes) != 0) {
    }
    if (termination_came)
      heard();
  }};
  struct sigaction action {};
  action.sa_handler = handle_termination;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGTERM, &action, nullptr);
}

TerminationWatch::~TerminationWatch() {
  std::signal(SIGTERM, SIG_DFL);
  ::sem_post(&termination_wakes);
  thread_.join();
}

} // namespace stoker
