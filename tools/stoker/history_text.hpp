#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "messages/history.hpp"

namespace stoker {

/// A table for people, what ended last at its end, and what of it was removed.
/// @param since_ms Only what ended then or later was asked for.
void print_history(std::ostream& out, const HistoryResponse& x,
                   const std::optional<std::int64_t>& since_ms = {});

/// Sums by month and company; by user, too, if `by_user`.
void print_use(std::ostream& out, const UseResponse& x, bool by_user);

/// With a line of names and lines of values (RFC 4180), for spreadsheets and accounts:
/// the fields that `--json` has.
void print_history_csv(std::ostream& out, const HistoryResponse& x);
void print_use_csv(std::ostream& out, const UseResponse& x);

} // namespace stoker
