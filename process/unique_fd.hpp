#pragma once

#include <unistd.h>

#include <utility>

namespace stoker::process {

/// Owns a file descriptor.
class UniqueFd {
public:
  UniqueFd() = default;

  explicit UniqueFd(int fd) : fd_(fd) {
  }

  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
  }

  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  ~UniqueFd() {
    reset();
  }

  [[nodiscard]] int get() const noexcept {
    return fd_;
  }

  /// Gives the descriptor away.
  [[nodiscard]] int release() noexcept {
    return std::exchange(fd_, -1);
  }

  /// Whether a descriptor is held.
  explicit operator bool() const noexcept {
    return fd_ >= 0;
  }

  void reset() noexcept {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = -1;
  }

private:
  int fd_ = -1;
};

} // namespace stoker::process
