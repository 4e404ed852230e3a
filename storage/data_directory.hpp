#pragma once

#include <string>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// A master's directory, closed to others (0700) and locked against a second
/// master for as long as this object lives. The kernel ends the lock with the
/// process, however that ends.
class DataDirectory {
public:
  /// Creates it if need be, and locks it. Fails with `Errc::in_use` while
  /// another master has it, else with `Errc::io`.
  static Result<DataDirectory> open(const std::string& path);

  /// Whether another master would still find it locked. Not so when the lock's
  /// file, or the directory, was removed or replaced.
  [[nodiscard]] bool is_locked() const;

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  DataDirectory(std::string path, process::UniqueFd lock);

  std::string path_;

  /// The lock ends with the file's last descriptor. The file stays: removing it
  /// would let two masters lock two files of one name.
  process::UniqueFd lock_;
};

} // namespace stoker
