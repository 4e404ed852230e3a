#pragma once

// How an entry of a history stands in a row (storage/history_schema.cpp).

#include <string>

#include <SQLiteCpp/Statement.h>

#include "messages/history.hpp"

namespace stoker {

/// The columns in the order of what follows: "id, kind, ...".
std::string history_columns();

/// As they stand in a file of an earlier version of the schema; what it lacks is NULL.
std::string history_columns_of(int version);

/// "?, ?, ...": one for each.
std::string history_placeholders();

/// Texts are not copied: the entry must live until the statement has run.
void bind_history_row(SQLite::Statement& to, const HistoryEntry& x);

/// @param row with the columns at its beginning
HistoryEntry read_history_row(SQLite::Statement& row);

} // namespace stoker
