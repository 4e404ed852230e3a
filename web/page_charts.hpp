#pragma once

// What pages show over time.

#include <string>

#include "messages/administration.hpp"
#include "web/share_history.hpp"

namespace stoker {

/// The executors of an application over its time, as far as they are known: where some are
/// not kept any more, from when those had ended.
std::string executors_chart(const ApplicationInfo& x);

/// The cores that companies have used; empty, as long as nothing is known.
std::string shares_chart(const ShareHistory& history);

} // namespace stoker
