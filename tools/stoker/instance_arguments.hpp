#pragma once

// `stoker run COMMAND ::: a b c`: an instance for each argument, as GNU parallel writes it.

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

struct CommandOfInstances {
  std::vector<std::string> words;

  /// One for each instance. Unset: they have none of their own.
  std::optional<std::vector<std::string>> arguments;
};

/// Whether a command has arguments of instances; and whether they are standard input's lines.
bool has_arguments(const std::vector<std::string>& words);
bool has_arguments_of_input(const std::vector<std::string>& words);

/// Parts a command from what follows `:::`, or from the lines of the file after `::::`.
/// @param standard_input What is meant by the file "-"
/// Fails for more than one list, for an empty one, and for a file that cannot be read or has
/// more than a master takes.
Result<CommandOfInstances>
split_arguments(const std::vector<std::string>& words,
                std::istream& standard_input);

} // namespace stoker
