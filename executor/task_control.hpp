#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "process/unique_fd.hpp"

namespace stoker::executor {

/// Tells a task that it is to end, from any thread and at any time.
class TaskControl {
public:
  TaskControl();

  /// The first reason counts. Also before the task begins: then it never does.
  void kill(std::string reason);

  /// For another task. Nobody may kill meanwhile.
  void reset();

  /// Why it is to end, if it is.
  [[nodiscard]] std::optional<std::string> reason() const;

  /// Becomes readable when it is to end.
  [[nodiscard]] int descriptor() const noexcept {
    return wake_.get();
  }

private:
  mutable std::mutex mutex_;
  std::optional<std::string> reason_;
  process::UniqueFd wake_;
};

} // namespace stoker::executor
