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

/// An option that goes only with something else. What needs one other option, and no more,
/// is CLI11's own `needs`.
struct OptionNeed {
  /// As "--instance".
  std::string option;

  /// What an error says of it, as "goes with an application".
  std::string why;

  /// Whether that is there, by the command line or by default.
  std::function<bool()> is_met;
};

/// An option that stands for a setting. On the command line it counts more than the setting;
/// as a default, less than one that `--conf` gives.
struct OptionSetting {
  /// As "--memory".
  std::string option;

  /// As "spark.executor.memory". NAME in it is what the option's value has before its `=`.
  std::string setting;

  /// What the setting has to say to keep a default out. Empty: whatever it says.
  std::string value;
};

/// What a command says of its options, besides what it says to CLI11: what excludes others
/// and what needs them is refused on the command line, and no default breaks it.
struct OptionRules {
  std::vector<OptionExclusion> exclusions;
  std::vector<OptionNeed> needs;
  std::vector<OptionSetting> settings;
};

/// @throws CommandError where what was given breaks one.
void check_rules(const CLI::App& app, const OptionRules& rules);

/// Gives entries of a configuration file to the options of their names that neither the
/// command line nor the environment has set. A default that does not go with what they have
/// set, that needs what is not there, or that stands for a setting which `--conf` gives on the
/// command line, is none.
/// @param entries no settings
/// @throws CommandError for what is no option of the command or has a wrong value, and for
/// entries that exclude each other.
void give_defaults(CLI::App& app, const std::vector<Setting>& entries,
                   const OptionRules& rules);

} // namespace stoker
