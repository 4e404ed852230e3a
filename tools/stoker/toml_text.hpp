#pragma once

#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker {

/// What a TOML file says, no more than 16 MB. Fails with a line that names the file.
/// @param what What it is for, as "the configuration"
Result<std::string> read_toml(const std::string& path, const std::string& what);

/// The line, from 1 on, of the first key of more than 32 parts; 0: none has. The
/// library follows keys as deep as they go, to the end of the stack.
int line_of_deep_key(std::string_view toml);

} // namespace stoker
