#include "storage/sqlite_journal.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "storage/file_identity.hpp"
#include "storage/followed_link.hpp"
#include "storage/last_changes.hpp"
#include "storage/sqlite_checksum.hpp"
#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/sqlite_tables.hpp"

namespace stoker {

namespace {

using Clock = std::chrono::steady_clock;

/// How long to wait for another's transaction: for a standby that begins to
/// lead, or somebody's shell.
constexpr int busy_timeout_ms = 5000;

SQLite::Database open_database(const std::string& path,
                               SqliteJournal::Missing missing) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) {
    if (missing == SqliteJournal::Missing::refuse)
      throw StoreFailure{
          {Errc::io, "the database " + path
                         + " was here and is gone; put it back, or start the "
                           "master again to begin with nothing"}};
    create_database(path, schema_steps());
  }
  check_header(path, schema_steps());
  // One thread at a time uses it.
  SQLite::Database database{path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                            busy_timeout_ms};
  // What turns out to be newer is not even moved from the log to the file.
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                    nullptr);
  check_version(database, path, schema_steps());
  add_checksum_function(database);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  // What is erased or replaced may be a secret: zeros take its place.
  database.exec("PRAGMA secure_delete = ON");
  // Pages of a large commit are kept until it ends, up to 64 MiB.
  database.exec("PRAGMA cache_size = -65536");
  migrate(database, path, schema_steps());
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0,
                    nullptr);
  return database;
}

/// Whether it ends something that was given secrets.
bool ends_with_secrets(const Change& change) {
  return std::visit(
      [](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<
                          T,
                          StoredApplication> || std::is_same_v<T, StoredDriver>)
          return x.ended.has_value();
        else
          return std::is_same_v<
                     T, EraseApplication> || std::is_same_v<T, EraseDriver>;
      },
      change);
}

} // namespace

struct SqliteJournal::Connection {
  Connection(std::string file, Missing missing)
      : path(std::move(file)), opened(followed_link(path)),
        database(open_database(opened, missing)),
        identity(file_identity(opened)),
        get_leader(database, "SELECT epoch, master_url FROM leader"),
        set_leader(database, "UPDATE leader SET epoch = ?, master_url = ?, "
                             "since_ms = ?"),
        tables(database) {
  }

  /// Runs `f` within a transaction that holds the lock for writing from its
  /// start, and commits it.
  template <class F>
  auto transact(F&& f) {
    return with_errors([&] {
      SQLite::Transaction transaction{database,
                                      SQLite::TransactionBehavior::IMMEDIATE};
      auto result = f();
      transaction.commit();
      return result;
    });
  }

  /// Runs `f`, and says what of SQLite fails in it.
  template <class F>
  auto with_errors(F&& f) {
    errno = 0;
    try {
      return f();
    } catch (const SQLite::Exception& e) {
      throw StoreFailure{to_error(e, path, errno)};
    }
  }

  struct Leader {
    std::int64_t epoch = 0;
    std::string master_url;
  };

  Leader leader() {
    get_leader.tryReset();
    if (!get_leader.executeStep())
      throw StoreFailure{corrupt_store(path, "does not say who led last")};
    Leader result{get_leader.getColumn(0).getInt64(),
                  get_leader.getColumn(1).getString()};
    get_leader.tryReset();
    return result;
  }

  void check_that_nobody_else_leads(LeaderEpoch epoch) {
    auto x = leader();
    if (x.epoch != static_cast<std::int64_t>(epoch.value))
      throw StoreFailure{{Errc::fenced, x.master_url + " leads now, in epoch "
                                            + std::to_string(x.epoch)}};
  }

  /// What is written to a file that nobody can open any more is lost.
  void check_that_it_is_there() const {
    if (file_identity(path) != identity
        || file_identity(opened + "-wal") == FileIdentity{})
      throw StoreFailure{{Errc::io, "the database " + path
                                        + " was removed or replaced while it "
                                          "was in use"}};
  }

  /// The log of commits has secrets until it is emptied. A reader that looks at an
  /// earlier state prevents that, and is not waited for, since commits would wait as
  /// well. What fails here is tried again, and lets no commit fail.
  void remove_secrets() {
    if (!ended_at)
      return;
    sqlite3_busy_timeout(database.getHandle(), 0);
    auto result = sqlite3_wal_checkpoint_v2(database.getHandle(), nullptr,
                                            SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                            nullptr);
    sqlite3_busy_timeout(database.getHandle(), busy_timeout_ms);
    if (result == SQLITE_OK)
      ended_at.reset();
    else
      ended_at = Clock::now();
  }

  std::string path;

  /// What it stood for then.
  std::string opened;
  SQLite::Database database;
  FileIdentity identity;

  /// When something ended whose secrets may be in the files; unset: none are.
  std::optional<Clock::time_point> ended_at;
  SQLite::Statement get_leader;
  SQLite::Statement set_leader;
  SqliteTables tables;
};

SqliteJournal::SqliteJournal(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {
}

SqliteJournal::~SqliteJournal() = default;

Result<std::unique_ptr<SqliteJournal>>
SqliteJournal::open(const std::string& path, Missing missing) {
  return catch_store_failures(path, [&] {
    return std::unique_ptr<SqliteJournal>{
        new SqliteJournal{std::make_unique<Connection>(path, missing)}};
  });
}

Result<Leadership> SqliteJournal::lead(const std::string& master_url,
                                       std::int64_t at_ms) {
  auto& connection = *connection_;
  auto begin = [&] {
    auto corrupt = [&](const std::string& problem) {
      return StoreFailure{corrupt_store(connection.path, problem)};
    };
    auto refuse = [&](const std::string& table, const std::string& key,
                      const std::string& problem) {
      throw corrupt("the record '" + key + "' in " + table
                    + " cannot be read: " + problem);
    };
    auto last = connection.leader().epoch;
    if (last < 0)
      throw corrupt("has an epoch below 0");
    auto epoch = next_epoch({static_cast<std::uint64_t>(last)}, at_ms);
    Leadership leadership{epoch, read_tables(connection.database, refuse)};
    auto& statement = connection.set_leader;
    statement.tryReset();
    statement.bind(1, static_cast<std::int64_t>(epoch.value));
    statement.bind(2, master_url);
    statement.bind(3, at_ms);
    statement.exec();
    return leadership;
  };
  auto result = catch_store_failures(
      connection.path, [&] { return connection.transact(begin); });
  if (!result)
    return result;
  epoch_ = result->epoch;
  // The last leader may have left some.
  connection.ended_at = Clock::now();
  return result;
}

Status SqliteJournal::commit(const Changes& changes) {
  assert(epoch_.value > 0);
  auto& connection = *connection_;
  auto write = [&] {
    connection.check_that_nobody_else_leads(epoch_);
    for (const auto* change : last_changes(changes))
      connection.tables.apply(*change);
    return true;
  };
  return catch_store_failures(connection.path, [&] {
    (void)connection.transact(write);
    connection.check_that_it_is_there();
    if (!connection.ended_at
        && std::any_of(changes.begin(), changes.end(), ends_with_secrets))
      connection.ended_at = Clock::now();
    // Whoever commits all the time does not check.
    if (connection.ended_at
        && Clock::now() - *connection.ended_at >= secrets_kept_for_)
      connection.remove_secrets();
  });
}

Status SqliteJournal::check() {
  assert(epoch_.value > 0);
  auto& connection = *connection_;
  return catch_store_failures(connection.path, [&] {
    connection.with_errors(
        [&] { connection.check_that_nobody_else_leads(epoch_); });
    connection.check_that_it_is_there();
    connection.remove_secrets();
  });
}

std::string journal_file(const std::string& data_directory) {
  return (std::filesystem::path{data_directory} / "stoker.db").string();
}

} // namespace stoker
