#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/program_id.hpp"

namespace stoker {

/// The directories of executors and drivers below a worker's work directory, and
/// which of them may go. Directories of applications and drivers that have ended
/// are retired; the last ones are kept, so that their output can be read.
class WorkDirectories {
public:
  /// @param retained How many retired directories are kept.
  /// @param spark_directory See `WorkerConfig`.
  WorkDirectories(std::string work_directory, int retained,
                  std::string spark_directory = {});

  /// WORK_DIRECTORY/APPLICATION/NUMBER
  [[nodiscard]] std::string of(const ExecutorId& id) const;

  /// WORK_DIRECTORY/DRIVER, which holds the directories of all attempts but the
  /// first.
  /// @param attempt Counts from 1.
  [[nodiscard]] std::string of(const DriverId& id, int attempt) const;

  /// A program's own directory, in which it finds its files: DIRECTORY/work. What the
  /// program does to it does not reach the logs, which are in the directory itself.
  /// @param directory Of an executor, or of an attempt of a driver
  [[nodiscard]] static std::string
  program_directory(const std::string& directory);

  /// Of local files of an application's Spark executors:
  /// SPARK_DIRECTORY/APPLICATION
  [[nodiscard]] std::string of_spark(const AppId& app) const;

  /// Retires the directory of an application or a driver. Returns the path of
  /// the one that has to be removed because of that, if any. Ignores names that
  /// cannot name a directory.
  [[nodiscard]] std::optional<std::string> retire(const std::string& name);

  /// Something of an application runs here, which has not ended, even if it looked
  /// so.
  void use(const AppId& app);

  /// Applications that were here and have not ended, as far as is known.
  [[nodiscard]] std::vector<AppId> used() const;

private:
  [[nodiscard]] std::string path_of(const std::string& name) const;

  std::string work_directory_;
  std::string spark_directory_;
  std::size_t retained_;

  /// Names, those that were retired first come first.
  std::deque<std::string> retired_;

  /// Of applications.
  std::set<std::string> used_;
};

} // namespace stoker
