#pragma once

#include <string>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"
#include "storage/lock_holder.hpp"

namespace stoker {

/// A master's directory, closed to others (0700) and locked against a second
/// master for as long as this object lives. The kernel ends the lock with the
/// process, however that ends.
class DataDirectory {
public:
  enum class Missing { create, refuse };

  /// Locks it. Fails with `Errc::in_use` while another master has it, else with
  /// `Errc::io`: others may write in it, too, for one, or it is on a network file system.
  /// @param missing What to do if it is not there.
  static Result<DataDirectory> open(const std::string& path,
                                    Missing missing = Missing::create);

  /// Whether another master would still find it locked. Not so when the lock's
  /// file, or the directory, was removed or replaced.
  [[nodiscard]] bool is_locked() const;

  /// Writes another sign of life into the lock's file (storage/lock_holder.hpp).
  void show_life();

  /// Another process has the lock, and cannot be ended: its lock is put aside, so
  /// that it does not count any more. The holder finds out (`is_locked`).
  static void put_lock_aside(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  DataDirectory(std::string path, process::UniqueFd lock);

  std::string path_;

  /// The lock ends with the file's last descriptor. The file stays: removing it
  /// would let two masters lock two files of one name.
  process::UniqueFd lock_;

  LockHolder holder_ = LockHolder::self();
};

} // namespace stoker
