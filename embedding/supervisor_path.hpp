#pragma once

#include <optional>
#include <string>

namespace stoker {

/// The executable that has the `supervise` command: `named`, if not empty; else
/// this program, if it is `stoker`; else STOKER_SUPERVISOR; else `stoker` where
/// it was installed, or on PATH.
std::optional<std::string> find_supervisor(const std::string& named);

} // namespace stoker
