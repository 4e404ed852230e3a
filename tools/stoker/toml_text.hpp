#pragma once

#include <string_view>

namespace stoker {

/// The line, from 1 on, of the first key of more than 32 parts; 0: none has. The
/// library follows keys as deep as they go, to the end of the stack.
int line_of_deep_key(std::string_view toml);

} // namespace stoker
