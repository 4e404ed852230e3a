#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace stoker {

/// Makes `app` take a program and its arguments. Its own options end there, as
/// those of most programs that start others: what follows is not ours to read.
void take_command(CLI::App& app);

/// The program and its arguments, once `app` has parsed.
/// @param after What follows the first `--` of the command line.
/// @throws CommandError for an option that there is not
std::vector<std::string> command_of(const CLI::App& app,
                                    const std::vector<std::string>& after);

} // namespace stoker
