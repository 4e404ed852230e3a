#pragma once

#include <algorithm>
#include <cstdint>

namespace stoker::jobs {

/// What the tables of a task may take, shared evenly by those in use: an operator takes
/// its share before it asks its parents for elements, so that whoever gets elements and
/// whoever makes them are counted.
class TaskMemory {
public:
  explicit TaskMemory(std::uint64_t bytes) : bytes_(bytes), share_(bytes) {
  }

  TaskMemory(const TaskMemory&) = delete;
  TaskMemory& operator=(const TaskMemory&) = delete;

private:
  friend class MemoryShare;

  void count(int change) noexcept {
    shares_ += change;
    share_ = bytes_ / static_cast<std::uint64_t>(std::max(1, shares_));
  }

  const std::uint64_t bytes_;
  int shares_ = 0;
  std::uint64_t share_;
};

/// The share of one table, as long as this object lives.
class MemoryShare {
public:
  explicit MemoryShare(TaskMemory& memory) : memory_(memory) {
    memory_.count(1);
  }
  ~MemoryShare() {
    memory_.count(-1);
  }

  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  /// Gets smaller while further tables are in use.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return memory_.share_;
  }

private:
  TaskMemory& memory_;
};

} // namespace stoker::jobs
