#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// Copies the databases of a master's data directory into a directory, which is made if
/// need be, for its owner alone: `stoker.db`, and `history.db` if there is one. Each copy
/// is as after one commit, whether a master uses the database or not, and synced. Changes
/// nothing that is there: fails where there is nothing to copy, or where the directory
/// has one of the names already.
/// @returns the files that were made
Result<std::vector<std::string>> back_up(const std::string& data_directory,
                                         const std::string& directory);

} // namespace stoker
