#include "embedding/signal_watch.hpp"

#include <csignal>
#include <utility>

namespace stoker {

SignalWatch::SignalWatch(const StopSignal& stop, std::function<void(int)> heard)
    : thread_([this, &stop, heard = std::move(heard)] {
        for (;;) {
          auto number = stop.wait();
          if (ended_)
            return;
          heard(number);
        }
      }) {
}

SignalWatch::~SignalWatch() {
  ended_ = true;
  // For that thread alone: it is what it waits for, and goes with it.
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
}

} // namespace stoker
