#pragma once

#include <functional>
#include <string>
#include <tuple>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// Is told of a record that cannot be read: its table, its key, and why.
using BadRecord
    = std::function<void(const std::string& table, const std::string& key,
                         const std::string& problem)>;

/// All records in the tables, in order; those that cannot be read are left out.
/// A record whose columns say something else than its JSON is damaged as well:
/// nobody knows which of both is right.
/// @throws SQLite::Exception
StoredState read_tables(SQLite::Database& database, const BadRecord& bad);

/// Writes changes to the tables, with statements that are prepared once.
class SqliteTables {
public:
  /// @throws SQLite::Exception
  explicit SqliteTables(SQLite::Database& database);

  /// Within a transaction of the caller's.
  /// @throws SQLite::Exception
  void apply(const Change& change);

private:
  template <class Record>
  struct Put {
    explicit Put(SQLite::Database& database);
    SQLite::Statement statement;
  };

  template <class Record>
  void put(const Record& x);
  void put(const EraseWorker& x);
  void put(const EraseApplication& x);
  void put(const EraseInstancesOf& x);
  void put(const EraseExecutor& x);
  void put(const EraseExecutorsOf& x);
  void put(const EraseDriver& x);
  void put(const EraseUser& x);

  std::tuple<Put<StoredWorker>, Put<StoredApplication>, Put<StoredInstance>,
             Put<StoredExecutor>, Put<StoredDriver>, Put<StoredCompany>,
             Put<StoredUser>, Put<StoredCounters>, Put<ClusterConfig>>
      puts_;
  SQLite::Statement erase_worker_;
  SQLite::Statement erase_application_;
  SQLite::Statement erase_instances_of_;
  SQLite::Statement erase_executor_;
  SQLite::Statement erase_executors_of_;
  SQLite::Statement erase_driver_;
  SQLite::Statement erase_user_;

  /// The record's text, kept for its memory.
  std::string text_;
};

} // namespace stoker
