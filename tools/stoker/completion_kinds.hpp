#pragma once

#include <string>

#include "tools/stoker/described_command.hpp"

namespace stoker {

/// A value's kind as completions call it: "file", or "choice:one,two".
std::string completion_kind(const DescribedValue& value);

} // namespace stoker
