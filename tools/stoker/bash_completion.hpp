#pragma once

#include <string>

#include "tools/stoker/described_command.hpp"

namespace stoker {

/// What bash reads to complete commands, options and what they take. It needs no package
/// for completions, and uses what that brings where it is there.
std::string bash_completion(const DescribedCommand& program);

} // namespace stoker
