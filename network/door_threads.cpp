#include "network/door_threads.hpp"

#include <signal.h>

#include <exception>
#include <utility>

#include <spdlog/spdlog.h>

namespace stoker {

namespace {

/// What one connection throws, such as for a lack of memory, ends no other one.
void serve(boost::asio::io_context& context) {
  while (true)
    try {
      context.run();
      return;
    } catch (const std::exception& e) {
      spdlog::error("[connection-failed] a connection failed: {}", e.what());
    }
}

} // namespace

DoorThreads::DoorThreads(std::size_t count) {
  // Signals are for the threads of whoever opens the door.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  for (std::size_t i = 0; i < count; ++i) {
    contexts_.push_back(std::make_unique<boost::asio::io_context>(1));
    guards_.push_back(boost::asio::make_work_guard(*contexts_.back()));
    std::promise<void> done;
    done_.push_back(done.get_future());
    threads_.emplace_back(
        [context = contexts_.back().get(), done = std::move(done)]() mutable {
          serve(*context);
          done.set_value();
        });
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

DoorThreads::~DoorThreads() {
  stop({});
}

void DoorThreads::stop(std::chrono::milliseconds patience) {
  guards_.clear();
  auto until = std::chrono::steady_clock::now() + patience;
  for (auto& done : done_)
    done.wait_until(until);
  for (const auto& context : contexts_)
    context->stop();
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
}

boost::asio::io_context& DoorThreads::next() {
  return *contexts_[turn_++ % contexts_.size()];
}

} // namespace stoker
