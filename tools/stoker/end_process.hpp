#pragma once

#include <string>

namespace stoker {

/// Ends this process at once, for a part of it has failed that it cannot do
/// without: a service manager starts it again. What must not be lost is stored,
/// and programs go on for `stoker.orphan.grace`.
[[noreturn]] void end_process(const std::string& why);

} // namespace stoker
