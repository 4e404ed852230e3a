#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

/// The variables of an environment, as environ(7) has them.
std::map<std::string, std::string> variables_of(const char* const* environment);

/// What a program gets of the environment `own`, as each of `wanted` says in its turn:
/// ALL adds all that make sense elsewhere; NONE takes away what came before; NAME adds
/// one, NAME=VALUE sets one. Fails for what is none of these, naming it.
/// ALL leaves out what Stoker itself sets (STOKER_*), PATH, which programs get anyway, and
/// what is about the caller's own shell.
Result<std::map<std::string, std::string>>
exported_environment(const std::vector<std::string>& wanted,
                     const std::map<std::string, std::string>& own);

/// Adds the option --pass-env of a process with workers: variables of its own that programs find
/// besides the usual ones.
void add_passed_variables_option(CLI::App& app,
                                 std::vector<std::string>& target);

} // namespace stoker
