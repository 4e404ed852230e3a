#include "storage/stored_view.hpp"

#include <filesystem>
#include <optional>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/sqlite_tables.hpp"
#include "storage/stored_check.hpp"

namespace stoker {

namespace {

constexpr int view_timeout_ms = 5000;

/// SQLite's name of a file that nobody changes: it is read without a lock, and
/// no files are made beside it.
std::string immutable_uri(const std::string& path) {
  std::string result = "file:";
  for (auto c : path)
    if (c == '%')
      result += "%25";
    else if (c == '?')
      result += "%3f";
    else if (c == '#')
      result += "%23";
    else
      result += c;
  return result + "?immutable=1";
}

/// Whether a log stands beside the file: a master uses it, or has died.
bool has_log(const std::string& path) {
  std::error_code error;
  auto size = std::filesystem::file_size(path + "-wal", error);
  return !error && size > 0;
}

/// Calls `read` with the database as it stands after one commit.
template <class Read>
auto read_only(const std::string& path, Read&& read) {
  check_header(path, schema_steps());
  auto read_from = [&](const std::string& name, int flags) {
    SQLite::Database database{name, SQLite::OPEN_READONLY | flags,
                              view_timeout_ms};
    // All statements see the same commit.
    SQLite::Transaction snapshot{database};
    auto version = check_version(database, path, schema_steps());
    if (version < static_cast<int>(schema_steps().size()))
      throw StoreFailure{
          {Errc::io, path + ": is of the older version "
                         + std::to_string(version)
                         + ": start a master on it, or use an older "
                           "program"}};
    return read(database, version);
  };
  if (!has_log(path)) {
    using Found = decltype(read_from(path, 0));
    std::optional<Found> result;
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

StoredView view(SQLite::Database& database, int version) {
  StoredView result;
  result.version = version;
  SQLite::Statement leader{database,
                           "SELECT epoch, master_url, since_ms FROM leader"};
  if (leader.executeStep())
    result.leader
        = {{static_cast<std::uint64_t>(leader.getColumn(0).getInt64())},
           leader.getColumn(1).getString(),
           leader.getColumn(2).getInt64()};
  else
    result.unreadable.emplace_back("leader: the record is missing");
  result.state = read_tables(database, [&](const std::string& table,
                                           const std::string& key,
                                           const std::string& problem) {
    result.unreadable.push_back(table + " '" + key + "': " + problem);
  });
  return result;
}

std::vector<std::string> check(SQLite::Database& database, int version) {
  std::vector<std::string> result;
  SQLite::Statement integrity{database, "PRAGMA integrity_check"};
  while (integrity.executeStep()) {
    auto finding = integrity.getColumn(0).getString();
    if (finding != "ok")
      result.push_back("file: " + finding);
  }
  // What stands in damaged pages is not worth to be looked at.
  if (!result.empty())
    return result;
  auto seen = view(database, version);
  result = std::move(seen.unreadable);
  for (auto& x : find_contradictions(seen.state))
    result.push_back(std::move(x));
  return result;
}

} // namespace

Result<StoredView> view_stored(const std::string& path) {
  return catch_store_failures(path, [&] { return read_only(path, view); });
}

Result<std::vector<std::string>> check_stored(const std::string& path) {
  return catch_store_failures(path, [&] { return read_only(path, check); });
}

} // namespace stoker
