#include "storage/history_store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "messages/states.hpp"
#include "storage/file_identity.hpp"
#include "storage/history_query.hpp"
#include "storage/history_rows.hpp"
#include "storage/history_schema.hpp"
#include "storage/history_space.hpp"
#include "storage/monthly_use.hpp"
#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"

namespace stoker {

namespace {

constexpr int history_busy_timeout_ms = 5000;

/// An end is told within so long, unless the master or a disk stood still.
constexpr Duration told_within = std::chrono::minutes{1};

SQLite::Database open_history(const std::string& path) {
  const auto& steps = history_schema_steps();
  if (path.empty()) {
    SQLite::Database database{":memory:",
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    database.exec(shrinkable_file);
    for (const auto& step : steps)
      database.exec(step);
    return database;
  }
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) {
    // Of a database that is gone: the new one must not take them for its own.
    for (const auto* rest : {"-wal", "-shm"}) {
      std::error_code ignored;
      std::filesystem::remove(path + rest, ignored);
    }
    create_database(path, steps, shrinkable_file);
  }
  check_header(path, steps);
  SQLite::Database database{path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                            history_busy_timeout_ms};
  check_version(database, path, steps);
  database.exec("PRAGMA journal_mode = WAL");
  // A machine that dies loses the last seconds; what the master stores brings most of
  // that back.
  database.exec("PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA cache_size = -8192");
  migrate(database, path, steps);
  return database;
}

/// When the first of them ended.
std::int64_t first_end_of(const std::vector<HistoryChange>& changes) {
  auto result = std::numeric_limits<std::int64_t>::max();
  for (const auto& change : changes)
    if (const auto* entry = std::get_if<HistoryEntry>(&change))
      result = std::min(result, entry->ended_ms);
  return result;
}

/// Unlike what the master works with, a history may go.
template <class T>
Result<T> with_way_out(Result<T> result) {
  if (result || result.code() != Errc::corrupt)
    return result;
  auto error = std::move(result).error();
  error.message += ", or remove it while no master runs: then the history "
                   "begins anew";
  return error;
}

} // namespace

std::string history_file(const std::string& directory) {
  return directory + "/history.db";
}

struct HistoryStore::Connection {
  Connection(std::string file, std::int64_t bytes)
      : path(std::move(file)), space(path, bytes), database(open_history(path)),
        identity(file_identity(path)),
        get(database,
            "SELECT " + history_columns() + " FROM entries WHERE id = ?"),
        insert(database, "INSERT OR IGNORE INTO entries (" + history_columns()
                             + ") VALUES (" + history_placeholders() + ")"),
        put(database, "INSERT OR REPLACE INTO entries (" + history_columns()
                          + ") VALUES (" + history_placeholders() + ")"),
        erase(database, "DELETE FROM entries WHERE id = ?"),
        get_removed(database, "SELECT until_ms FROM removed"),
        set_removed(database, "UPDATE removed SET until_ms = ?"),
        add_use(
            database,
            "INSERT INTO use_by_month VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET core_ms = core_ms + excluded.core_ms, "
            "memory_mb_s = memory_mb_s + excluded.memory_mb_s, "
            "cpu_ms = cpu_ms + excluded.cpu_ms, "
            "applications = applications + excluded.applications, "
            "drivers = drivers + excluded.drivers, "
            "executors = executors + excluded.executors") {
    space.prepare(database);
  }

  std::optional<HistoryEntry> find(const std::string& id) {
    get.reset();
    get.bindNoCopy(1, id);
    std::optional<HistoryEntry> result;
    if (get.executeStep())
      result = read_history_row(get);
    get.reset();
    return result;
  }

  std::int64_t removed_until() {
    get_removed.reset();
    auto result = get_removed.executeStep()
                      ? get_removed.getColumn(0).getInt64()
                      : std::int64_t{-1};
    get_removed.reset();
    return result;
  }

  /// Adds what an entry has to do with months, or takes it away, when the transaction
  /// ends.
  void count(const HistoryEntry& x, int sign) {
    for (const auto& [month, use] : use_by_month(x)) {
      auto& sum = counted[{month, use.company, use.user}];
      stoker::add(sum, use, sign);
    }
  }

  void write_counted() {
    for (const auto& [key, use] : counted) {
      const auto& [month, company, user] = key;
      auto company_text = company.value_or("");
      add_use.reset();
      add_use.bindNoCopy(1, month);
      add_use.bindNoCopy(2, company_text);
      add_use.bind(3, company ? 1 : 0);
      add_use.bindNoCopy(4, user);
      add_use.bind(5, use.core_ms);
      add_use.bind(6, use.memory_mb_s);
      add_use.bind(7, use.cpu_ms);
      add_use.bind(8, use.applications);
      add_use.bind(9, use.drivers);
      add_use.bind(10, use.executors);
      add_use.exec();
    }
  }

  /// Whose an executor was, if its application is forgotten elsewhere.
  void complete(HistoryEntry& x) {
    if (!x.user.empty() || x.kind != HistoryKind::executor || !x.app_id)
      return;
    if (auto app = find(x.app_id->value)) {
      x.name = app->name;
      x.user = app->user;
      x.company = app->company;
    }
  }

  /// Some of what was known when it ended is not known, or different, later.
  static void keep_known(HistoryEntry& x, const HistoryEntry& before) {
    if (!x.use)
      x.use = before.use;
    if (x.user.empty()) {
      x.name = before.name;
      x.user = before.user;
    }
    x.company = before.company;
  }

  void apply(HistoryEntry x) {
    if (x.ended_ms <= removed_ms)
      return;
    complete(x);
    insert.reset();
    bind_history_row(insert, x);
    if (insert.exec() > 0)
      return count(x, 1);
    // It is there already: more may be known of it.
    auto before = find(x.id);
    if (!before)
      return;
    keep_known(x, *before);
    if (*before == x)
      return;
    count(*before, -1);
    count(x, 1);
    put.reset();
    bind_history_row(put, x);
    put.exec();
  }

  void apply(const ForgetEntry& x) {
    auto before = find(x.id);
    if (!before)
      return;
    count(*before, -1);
    erase.reset();
    erase.bindNoCopy(1, x.id);
    erase.exec();
  }

  void set_removed_until(std::int64_t ms) {
    removed_ms = ms;
    set_removed.reset();
    set_removed.bind(1, ms);
    set_removed.exec();
  }

  /// What a clock that ran ahead has left: everything would count as removed.
  /// @param first_end when the first ended of what is told now
  void correct_mark(Instant now, std::int64_t first_end) {
    if (removed_ms <= to_ms(now))
      return;
    mark_ahead = from_ms(removed_ms);
    set_removed_until(std::max(
        std::min(to_ms(now - told_within), first_end - 1), std::int64_t{-1}));
  }

  /// Removes what ended then or before. Returns whether it was anything.
  bool remove_until(std::int64_t last, Instant now) {
    // An end that is not yet must not mark as removed what ends before it.
    SQLite::Statement latest{
        database, "SELECT max(ended_ms) FROM entries WHERE ended_ms <= ?"};
    latest.bind(1, std::min(last, to_ms(now)));
    if (latest.executeStep() && !latest.getColumn(0).isNull())
      set_removed_until(std::max(latest.getColumn(0).getInt64(), removed_ms));
    SQLite::Statement remove{database,
                             "DELETE FROM entries WHERE ended_ms <= ?"};
    remove.bind(1, last);
    return remove.exec() > 0;
  }

  std::string path;
  HistorySpace space;
  SQLite::Database database;
  FileIdentity identity;
  SQLite::Statement get;
  SQLite::Statement insert;
  SQLite::Statement put;
  SQLite::Statement erase;
  SQLite::Statement get_removed;
  SQLite::Statement set_removed;
  SQLite::Statement add_use;

  /// What ended then or before was removed: as it was when the transaction began.
  std::int64_t removed_ms = -1;

  /// See `take_mark_ahead`.
  std::optional<Instant> mark_ahead;

  /// By month, company and user: what the transaction adds to each.
  std::map<std::tuple<std::string, std::optional<std::string>, std::string>,
           MonthlyUse>
      counted;
};

HistoryStore::HistoryStore(std::unique_ptr<Connection> connection,
                           HistoryLimits limits)
    : connection_(std::move(connection)), limits_(limits) {
}

HistoryStore::~HistoryStore() = default;

template <class F>
auto HistoryStore::transact(F&& f) {
  auto& x = *connection_;
  return with_way_out(catch_store_failures(x.path, [&] {
    errno = 0;
    try {
      SQLite::Transaction transaction{x.database,
                                      SQLite::TransactionBehavior::IMMEDIATE};
      x.removed_ms = x.removed_until();
      x.counted.clear();
      if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
        std::forward<F>(f)();
        transaction.commit();
      } else {
        auto result = std::forward<F>(f)();
        transaction.commit();
        return result;
      }
    } catch (const SQLite::Exception& e) {
      throw StoreFailure{to_error(e, x.path, errno)};
    }
  }));
}

Result<std::unique_ptr<HistoryStore>>
HistoryStore::open(const std::string& path, HistoryLimits limits) {
  return with_way_out(catch_store_failures(path, [&] {
    return std::unique_ptr<HistoryStore>{new HistoryStore{
        std::make_unique<Connection>(path, limits.bytes), limits}};
  }));
}

bool HistoryStore::has_its_file() const {
  const auto& x = *connection_;
  return x.path.empty() || file_identity(x.path) == x.identity;
}

Status HistoryStore::put(const std::vector<HistoryChange>& changes,
                         Instant now) {
  if (changes.empty())
    return {};
  return transact([&] {
    connection_->correct_mark(now, first_end_of(changes));
    for (const auto& change : changes)
      std::visit([&](const auto& x) { connection_->apply(x); }, change);
    connection_->write_counted();
  });
}

Result<bool> HistoryStore::remove_old(Instant now) {
  auto& x = *connection_;
  auto removed = transact([&] {
    x.correct_mark(now, to_ms(now));
    auto last = to_ms(now - limits_.age) - 1;
    auto excess = x.space.excess(x.database);
    auto count = excess > 0 ? entries_to_remove(excess) : removed_at_once;
    auto end_of_last = nth_end(x.database, count);
    if (excess > 0)
      last = end_of_last.value_or(median_end(x.database));
    else
      last = std::min(last, end_of_last.value_or(last));
    return x.remove_until(last, now);
  });
  if (!removed || *removed)
    return removed;
  return with_way_out(catch_store_failures(
      x.path, [&] { return x.space.give_back(x.database); }));
}

std::optional<Instant> HistoryStore::take_mark_ahead() {
  return std::exchange(connection_->mark_ahead, std::nullopt);
}

Result<HistoryResponse> HistoryStore::find(const RequestHistory& x) {
  if (auto valid = check_history_request(x); !valid)
    return std::move(valid).error();
  auto& connection = *connection_;
  return catch_store_failures(connection.path, [&] {
    auto result = find_history(connection.database, x);
    if (auto until = connection.removed_until(); until >= 0)
      result.kept_since_ms = until + 1;
    return result;
  });
}

Result<UseResponse> HistoryStore::use(const RequestUse& x) {
  if (auto valid = check_use_request(x); !valid)
    return std::move(valid).error();
  return catch_store_failures(
      connection_->path, [&] { return find_use(connection_->database, x); });
}

} // namespace stoker
