#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// What was copied.
struct Backup {
  /// The files that were made.
  std::vector<std::string> files;

  /// Why the history was not copied, which no leader needs; nothing: it was, or there is none.
  std::optional<Error> history_problem;
};

/// Copies the databases of a master's data directory into a directory, which is made if
/// need be, for its owner alone: `stoker.db`, and `history.db` if there is one. Each copy
/// is as after one commit, whether a master uses the database or not, and synced. Changes
/// nothing that is there: fails where there is nothing to copy, or where the directory
/// has one of the names already. A history that cannot be copied is no reason to be without
/// a copy of the rest.
Result<Backup> back_up(const std::string& data_directory,
                       const std::string& directory);

} // namespace stoker
