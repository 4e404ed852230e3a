#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace stoker {

/// Threads that carry bytes. Each connection belongs to one of them, so that
/// nothing of it needs a lock.
class DoorThreads {
public:
  explicit DoorThreads(std::size_t count);

  ~DoorThreads();

  /// Waits until nothing is under way, but no longer than that, and ends them.
  /// Nothing is called any more once this has returned.
  void stop(std::chrono::milliseconds patience);

  DoorThreads(const DoorThreads&) = delete;
  DoorThreads& operator=(const DoorThreads&) = delete;

  /// For the next connection: all in turn.
  boost::asio::io_context& next();

private:
  using Guard = boost::asio::executor_work_guard<
      boost::asio::io_context::executor_type>;

  std::vector<std::unique_ptr<boost::asio::io_context>> contexts_;
  std::vector<Guard> guards_;
  std::atomic<std::size_t> turn_{0};
  std::vector<std::future<void>> done_;
  std::vector<std::thread> threads_;
};

} // namespace stoker
