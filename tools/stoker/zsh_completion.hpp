#pragma once

#include <string>

#include "tools/stoker/described_command.hpp"

namespace stoker {

/// What zsh reads to complete commands, options and what they take, with a sentence
/// about each. It belongs into a file `_stoker` in a directory of `fpath`.
std::string zsh_completion(const DescribedCommand& program);

} // namespace stoker
