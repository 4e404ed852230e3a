#pragma once

// What pages show over time.

#include <cstdint>
#include <optional>
#include <string>

#include "messages/administration.hpp"
#include "pages/table.hpp"
#include "web/share_history.hpp"

namespace stoker {

/// Of how many of its executors the master knows no more than that they were.
/// Unset: it knows all.
/// @param x with all of its executors that are kept
std::optional<pages::Forgotten> forgotten_executors(const ApplicationInfo& x);

/// The executors of an application over its time, as far as they are known: where some are
/// forgotten, from when those had ended.
/// @param x with all of its executors that are kept
/// @param first_end_ms as `first_end_kept` says
std::string executors_chart(const ApplicationInfo& x,
                            std::optional<std::int64_t> first_end_ms);

/// The cores that companies have used; empty, as long as nothing is known.
std::string shares_chart(const ShareHistory& history);

} // namespace stoker
