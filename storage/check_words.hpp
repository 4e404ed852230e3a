#pragma once

// What checks of stored files say of damage, wherever it is found.

#include <string_view>

namespace stoker {

/// How a finding about damaged pages begins.
inline constexpr std::string_view damage_prefix = "file: ";

/// What to do about it.
inline constexpr std::string_view damage_advice
    = "nothing was changed: restore a backup (docs/storage.md)";

} // namespace stoker
