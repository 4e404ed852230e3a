#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/stoker/settings.hpp"

namespace stoker {

/// Reads a configuration file: TOML, where each key is the long name of an
/// option (`port = 7070`) or the name of a setting, dotted or in tables
/// (`spark.worker.timeout = "60s"`). Returns the entries in order of the file,
/// with `FILE:LINE` as their origin, or what is wrong, in one line.
std::variant<std::vector<Setting>, std::string>
read_config_file(const std::string& path);

} // namespace stoker
