#pragma once

#include <deque>
#include <optional>
#include <string>

#include "messages/program_id.hpp"

namespace stoker {

/// The directories of executors and drivers below a worker's work directory, and
/// which of them may go. Directories of applications and drivers that have ended
/// are retired; the last ones are kept, so that their output can be read.
class WorkDirectories {
public:
  /// @param retained How many retired directories are kept.
  WorkDirectories(std::string work_directory, int retained);

  /// WORK_DIRECTORY/APPLICATION/NUMBER
  [[nodiscard]] std::string of(const ExecutorId& id) const;

  /// WORK_DIRECTORY/DRIVER, which holds the directories of all attempts but the
  /// first.
  /// @param attempt Counts from 1.
  [[nodiscard]] std::string of(const DriverId& id, int attempt) const;

  /// Retires the directory of an application or a driver. Returns the path of
  /// the one that has to be removed because of that, if any. Ignores names that
  /// cannot name a directory.
  [[nodiscard]] std::optional<std::string> retire(const std::string& name);

  /// The application or driver has not ended after all.
  void use_again(const std::string& name);

private:
  [[nodiscard]] std::string path_of(const std::string& name) const;

  std::string work_directory_;
  std::size_t retained_;

  /// Names, those that were retired first come first.
  std::deque<std::string> retired_;
};

} // namespace stoker
