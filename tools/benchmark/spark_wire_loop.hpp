#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"
#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

/// Something with a socket that a loop looks after. Has to outlive the turn in which it is
/// removed from it.
class WireSocket {
public:
  WireSocket() = default;
  WireSocket(const WireSocket&) = delete;
  WireSocket& operator=(const WireSocket&) = delete;
  virtual ~WireSocket() = default;

  /// @param events of epoll(7)
  virtual void ready(std::uint32_t events) = 0;
};

/// Serves many sockets in the thread that measures: who waits for something serves them
/// meanwhile. So nothing is locked, nobody has to be woken, and what is measured has the
/// other processors for itself.
class WireLoop {
public:
  /// Throws std::runtime_error when there is no epoll.
  WireLoop();

  void add(int fd, WireSocket& who);

  /// Whether it is also told when it can write.
  void write_too(int fd, WireSocket& who, bool yes);
  void remove(int fd);

  /// Serves those that are ready; waits for the first of them for at most so long.
  void turn(std::chrono::milliseconds at_most);

  /// Serves until something is so, which is looked at after each turn and each
  /// millisecond. Throws std::runtime_error when that takes too long.
  /// @param what for the error: as "workers registered"
  template <class Done>
  void run_until(const std::string& what, Done done) {
    constexpr std::chrono::seconds limit{240};
    auto deadline = BenchClock::now() + limit;
    while (!done()) {
      if (BenchClock::now() > deadline)
        throw std::runtime_error("after " + std::to_string(limit.count())
                                 + " s: not all " + what);
      turn(std::chrono::milliseconds{1});
    }
  }

  /// Where sockets read into during their turn.
  [[nodiscard]] std::span<char> buffer() noexcept {
    return buffer_;
  }

private:
  void change(int operation, int fd, WireSocket& who, std::uint32_t events);

  process::UniqueFd epoll_;
  std::vector<char> buffer_;
};

} // namespace stoker::benchmark
