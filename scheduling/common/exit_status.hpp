#pragma once

#include <optional>

namespace stoker {

/// Whether somebody else has ended a command, such as an operator or the kernel when
/// memory ran out: with SIGKILL or SIGTERM, 128 + 9 and 128 + 15 as shells report them.
/// @param exit_status Unset: it has none.
inline bool killed_from_outside(std::optional<int> exit_status) {
  return exit_status == 128 + 9 || exit_status == 128 + 15;
}

} // namespace stoker
