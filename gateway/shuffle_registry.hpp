#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/shuffle_files.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"
#include "spark/block_messages.hpp"

namespace stoker {

/// Where the executors of applications write on this machine. What an application's have
/// said is kept in its own directory, and so is known to a worker that is started again,
/// and goes when the directory is removed.
class ShuffleRegistry {
public:
  /// @param root the files of an application are in a directory of its name there
  explicit ShuffleRegistry(std::string root);

  /// Fails with `Errc::not_allowed` for directories that are not in that of the
  /// application, and with `Errc::io` if it cannot be kept.
  Status add(const spark::RegisterShuffleExecutor& x);

  /// Returns the applications whose executors have said where they write, and whose
  /// directories are there.
  [[nodiscard]] static std::vector<AppId>
  applications_in(const std::string& root);

  /// Fails with `Errc::not_found`. Valid until the next call.
  Result<const ShuffleDirectories*> find(const std::string& app_id,
                                         const std::string& exec_id);

private:
  using OfApplication = std::map<std::string, ShuffleDirectories>;

  /// Forgets applications whose directories are gone.
  void forget_removed();

  std::string root_;
  std::map<std::string, OfApplication> applications_;
};

} // namespace stoker
