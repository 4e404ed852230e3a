#pragma once

// What people write to say which part of a history they want: on the command line, at a
// page, and over HTTP.

#include <string>
#include <vector>

#include "messages/history.hpp"
#include "messages/result.hpp"

namespace stoker {

/// "applications", "drivers", "executors", "stages" and "all".
const std::vector<std::string>& history_kind_names();

/// Reads "executors", or "executor,stage", in any case. Fails with a line for what is no
/// kind, or empty.
/// @return Empty: all.
Result<std::vector<HistoryKind>> parse_history_kinds(const std::string& text);

/// The states in which something ends, in capitals, each once.
/// @param kinds Of which kinds; empty: of all.
std::vector<std::string> history_states(const std::vector<HistoryKind>& kinds);

/// The same in lower case, as people write them.
std::vector<std::string>
history_state_names(const std::vector<HistoryKind>& kinds);

/// Reads "failed" or "FAILED" as the latter. Fails with a line for a state in which nothing
/// of these kinds ends.
Result<std::string> parse_history_state(const std::string& text,
                                        const std::vector<HistoryKind>& kinds);

/// "a, b and c".
std::string list_text(const std::vector<std::string>& words);

} // namespace stoker
