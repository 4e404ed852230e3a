#include "storage/history_space.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <SQLiteCpp/Exception.h>

namespace stoker {

namespace {

/// SQLite empties a log of so many bytes (1000 pages) unless it is told otherwise.
constexpr std::int64_t largest_history_log = 4'096'000;

/// A file up to so large is written anew when it is opened: that takes about a second.
constexpr std::int64_t small_file = std::int64_t{64} << 20;

/// So many pages are given back at once: some milliseconds' work.
constexpr std::int64_t pages_at_once = 1000;

/// So many may stay free, as the next entries need some.
constexpr std::int64_t free_pages_kept = 100;

/// About what an entry takes, with its places in the indexes.
constexpr std::int64_t bytes_of_entry = 400;

std::int64_t number_of(SQLite::Database& database, const char* name) {
  return database.execAndGet("PRAGMA " + std::string{name}).getInt64();
}

void set_number(SQLite::Database& database, const char* name,
                std::int64_t value) {
  database.exec("PRAGMA " + std::string{name} + " = " + std::to_string(value));
}

bool can_shrink(SQLite::Database& database) {
  return number_of(database, "auto_vacuum") != 0;
}

std::int64_t bytes_of(SQLite::Database& database) {
  return number_of(database, "page_count") * number_of(database, "page_size");
}

/// Nothing where there is no such file.
std::int64_t size_on_disk(const std::string& path) {
  std::error_code error;
  auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

/// Brings what the log has into the file, which then has its new size on the disk. Nobody is
/// waited for who still reads the log.
void write_log_back(SQLite::Database& database) {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  // The log is cut when it begins anew, with the next transaction. It never becomes empty
  // while it is in use: by that others know that it is (storage/sqlite_snapshot.hpp). A row
  // that stays as it is would not be written.
  set_number(database, "user_version", number_of(database, "user_version"));
}

} // namespace

HistorySpace::HistorySpace(std::string path, std::int64_t bytes)
    : path_(std::move(path)), log_(std::min(bytes / 4, largest_history_log)),
      file_(bytes - log_) {
}

void HistorySpace::prepare(SQLite::Database& database) {
  set_number(database, "journal_size_limit", log_);
  set_number(
      database, "wal_autocheckpoint",
      std::max(log_ / number_of(database, "page_size"), std::int64_t{1}));
  if (!can_shrink(database) && bytes_of(database) <= small_file)
    make_shrinkable(database);
}

std::int64_t HistorySpace::excess(SQLite::Database& database) const {
  auto used = number_of(database, "page_count")
              - number_of(database, "freelist_count");
  return used * number_of(database, "page_size") - file_;
}

bool HistorySpace::give_back(SQLite::Database& database) {
  if (can_shrink(database)) {
    auto free = number_of(database, "freelist_count");
    if (free > free_pages_kept || (free > 0 && bytes_of(database) > file_)) {
      set_number(database, "incremental_vacuum", std::min(free, pages_at_once));
      return number_of(database, "freelist_count") < free;
    }
  } else if (bytes_of(database) > file_) {
    make_shrinkable(database);
  }
  if (!path_.empty()
      && (size_on_disk(path_) > bytes_of(database)
          || size_on_disk(path_ + "-wal") > log_))
    write_log_back(database);
  return false;
}

/// Writes the whole file anew. It stays as it is where somebody else has it open, or the
/// disk has no room for the copy.
void HistorySpace::make_shrinkable(SQLite::Database& database) {
  if (std::exchange(has_tried_, true))
    return;
  try {
    database.exec(shrinkable_file);
    database.exec("VACUUM");
  } catch (const SQLite::Exception&) {
    // It is only larger than it need be.
  }
}

int entries_to_remove(std::int64_t excess) {
  return static_cast<int>(std::clamp(excess / bytes_of_entry, std::int64_t{1},
                                     std::int64_t{removed_at_once}));
}

} // namespace stoker
