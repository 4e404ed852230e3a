#pragma once

// Defaults of options that a configuration file gives, where some options exclude others.

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "embedding/settings.hpp"

namespace stoker {

/// An option that does not go with something else, and why. Those that need no reason are
/// CLI11's own `excludes`.
struct OptionExclusion {
  /// As "--stdin".
  std::string option;

  /// Another option; or as an error calls it, as ":::".
  std::string other;
  std::string why;

  /// Whether that is on the command line. Unset: it is an option.
  std::function<bool()> is_typed;
};

using OptionExclusions = std::vector<OptionExclusion>;

/// @throws CommandError where both were given.
void check_exclusions(const CLI::App& app, const OptionExclusions& exclusions);

/// Gives entries of a configuration file to the options of their names that neither the
/// command line nor the environment has set. A default that does not go with what they have
/// set, or that needs an option that nobody has set, is none.
/// @param entries no settings
/// @throws CommandError for what is no option of the command or has a wrong value, and for
/// entries that exclude each other.
void give_defaults(CLI::App& app, const std::vector<Setting>& entries,
                   const OptionExclusions& exclusions);

} // namespace stoker
