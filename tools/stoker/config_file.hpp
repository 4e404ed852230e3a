#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embedding/settings.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Reads a configuration file: TOML, where each key is the long name of an
/// option (`port = 7070`) or the name of a setting, dotted or in tables
/// (`spark.worker.timeout = "60s"`). Returns the entries in order of the file,
/// with `FILE:LINE` as their origin.
Result<std::vector<Setting>> read_config_file(const std::string& path);

/// The same, of what a file of that name says.
Result<std::vector<Setting>> parse_config(std::string_view text,
                                          const std::string& path);

} // namespace stoker
