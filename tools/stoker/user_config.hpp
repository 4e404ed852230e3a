#pragma once

// The configuration file of a user: defaults of the commands that ask a master.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "embedding/settings.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Gives the value of a variable of the environment; null: it is not set.
using Variables = std::function<const char*(const char*)>;

/// Where it is: `$XDG_CONFIG_HOME/stoker/config.toml`, or `~/.config/stoker/config.toml`.
/// Empty: this user has no such place. A relative `XDG_CONFIG_HOME` does not count, as the
/// XDG Base Directory Specification says.
std::filesystem::path user_config_path(const Variables& variables);

/// What it says, in the order of its lines; nothing if there is no file. Files that it names
/// for TLS are meant relative to its own directory. Errors name file and line.
Result<std::vector<Setting>>
read_user_config(const std::filesystem::path& path);

} // namespace stoker
