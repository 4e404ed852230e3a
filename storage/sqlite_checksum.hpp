#pragma once

#include <SQLiteCpp/Database.h>

namespace stoker {

/// Adds the SQL function `stoker_checksum(...)` to a connection: a number that all given
/// values determine, with their types and order. Two rows that differ have different
/// numbers, as surely as SHA-256 makes it in 64 bits.
/// @throws SQLite::Exception
void add_checksum_function(SQLite::Database& database);

} // namespace stoker
