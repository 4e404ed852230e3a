#pragma once

#include <string>

#include "messages/history.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// What has ended, what ended last first.
/// @param next where the next part is; empty: there is none
Table history_table(const HistoryResponse& x, const std::string& next);

/// Use by month and company.
Table use_table(const UseResponse& x);

} // namespace stoker::pages
