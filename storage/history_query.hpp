#pragma once

// What a history is asked, as SQL (storage/history_schema.cpp).

#include <cstdint>
#include <optional>

#include <SQLiteCpp/Database.h>

#include "messages/history.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Fails with Errc::invalid_request.
Status check_history_request(const RequestHistory& x);
Status check_use_request(const RequestUse& x);

// These throw what SQLiteCpp throws.

/// @pre check_history_request(x)
HistoryResponse find_history(SQLite::Database& database,
                             const RequestHistory& x);

UseResponse find_use(SQLite::Database& database, const RequestUse& x);

/// When the n-th entry ended, of those in the order of their ends; nothing: there are
/// fewer.
std::optional<std::int64_t> nth_end(SQLite::Database& database, int n);

/// When the entry ended that stands in the middle; -1 where there is none.
std::int64_t median_end(SQLite::Database& database);

} // namespace stoker
