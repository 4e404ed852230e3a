#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "embedding/settings.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Fails for an entry of a configuration file that is nothing to any command: neither
/// the long name of an option nor a setting. The error names file, line and name, and
/// what was probably meant.
/// @param command One of the program's
Status check_known(const CLI::App& command, const Setting& entry);

/// Whether a setting is among these names, where NAME stands for any resource.
bool is_one_of(const std::string& setting,
               const std::vector<std::string>& names);

/// Whether a configuration file can set that option of a command: not those that say what is
/// looked at or asked, or a default would hide something unseen.
bool takes(const CLI::App& command, const std::string& option);

/// " (did you mean 'port'?)", if an option of a command is similar; else nothing.
std::string similar_option(const CLI::App& command, const std::string& name);

} // namespace stoker
