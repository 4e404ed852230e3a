#include "storage/stored_view.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "storage/sqlite_checksum.hpp"
#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/sqlite_snapshot.hpp"
#include "storage/sqlite_tables.hpp"
#include "storage/stored_check.hpp"

namespace stoker {

namespace {

/// Calls `read` with the database as it stands after one commit.
template <class Read>
auto read_only(const std::string& path, Read&& read) {
  check_header(path, schema_steps());
  return read_snapshot(path, [&](SQLite::Database& database) {
    auto version = check_version(database, path, schema_steps());
    if (version < static_cast<int>(schema_steps().size()))
      throw StoreFailure{
          {Errc::io, path + ": is of the older version "
                         + std::to_string(version)
                         + ": start a master on it, or use an older "
                           "program"}};
    add_checksum_function(database);
    return read(database, version);
  });
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
  auto result = damage_in(database);
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
  return catch_check_failures(path, [&] { return read_only(path, check); });
}

} // namespace stoker
