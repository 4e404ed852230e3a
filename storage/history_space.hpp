#pragma once

// How much room the file of a history has, and how the file becomes smaller.

#include <cstdint>
#include <string>

#include <SQLiteCpp/Database.h>

namespace stoker {

/// Makes an empty database one whose file can become smaller.
inline constexpr const char* shrinkable_file
    = "PRAGMA auto_vacuum = INCREMENTAL";

/// What a history may take of its disk [stoker.history.maxSize]: the file, and the log
/// beside it. These throw what SQLiteCpp throws.
class HistorySpace {
public:
  /// @param path of the database; empty: in memory
  /// @param bytes that it may take
  HistorySpace(std::string path, std::int64_t bytes);

  /// Bounds the log of an opened database, and lets a small one that cannot become smaller
  /// become one that can.
  void prepare(SQLite::Database& database);

  /// By how many bytes too much of the file is in use; not positive: it is not.
  [[nodiscard]] std::int64_t excess(SQLite::Database& database) const;

  /// Gives some of what is free in the file back to the disk. Returns whether it did: then
  /// there may be more.
  bool give_back(SQLite::Database& database);

private:
  void make_shrinkable(SQLite::Database& database);

  std::string path_;

  /// Of the log, between two transactions. A large one takes more meanwhile.
  std::int64_t log_;
  std::int64_t file_;

  /// Once and again would cost more than it brings.
  bool has_tried_ = false;
};

/// So many entries are removed at once, so that nobody waits long.
inline constexpr int removed_at_once = 2000;

/// How many of the first entries to remove at once, so that little more goes than has to; at
/// most `removed_at_once`.
/// @param excess bytes that are too much
int entries_to_remove(std::int64_t excess);

} // namespace stoker
