#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Transaction.h>

#include "storage/followed_link.hpp"

namespace stoker {

/// How long a lock of somebody else is waited for.
inline constexpr int snapshot_timeout_ms = 5000;

/// SQLite's name of a file that nobody changes: it is read without a lock, and no files
/// are made beside it.
std::string immutable_uri(const std::string& path);

/// Whether a log stands beside the file, which is no link: a master uses it, or has died.
bool has_log(const std::string& path);

/// What is wrong with the pages of a database, a line each.
/// @throws SQLite::Exception when they are too damaged to go on
std::vector<std::string> damage_in(SQLite::Database& database);

/// Calls `read` with the database as it stands after one commit, whether a master uses it
/// or not, and returns what that returns. Changes nothing.
/// @throws SQLite::Exception
template <class Read>
auto read_snapshot(const std::string& name, Read&& read) {
  const auto path = followed_link(name);
  auto read_from = [&](const std::string& file, int flags) {
    SQLite::Database database{file, SQLite::OPEN_READONLY | flags,
                              snapshot_timeout_ms};
    // All statements see the same commit.
    SQLite::Transaction snapshot{database};
    return read(database);
  };
  if (!has_log(path)) {
    std::optional<std::invoke_result_t<Read, SQLite::Database&>> result;
    std::optional<SQLite::Exception> problem;
    try {
      result = read_from(immutable_uri(path), SQLite::OPEN_URI);
    } catch (const SQLite::Exception& e) {
      problem = e;
    }
    // Unless a master has begun meanwhile.
    if (!has_log(path)) {
      if (problem)
        throw SQLite::Exception{*problem};
      return std::move(*result);
    }
  }
  return read_from(path, 0);
}

} // namespace stoker
