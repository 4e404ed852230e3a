#include "storage/sqlite_tables.hpp"

#include <cstddef>
#include <string_view>
#include <variant>

#include <boost/json.hpp>

#include "messages/json_text.hpp"
#include "storage/sqlite_columns.hpp"

namespace stoker {

namespace {

// -- values -------------------------------------------------------------------

/// Texts are not copied: they must live until the statement has run.
struct Binder {
  void null() const {
    statement.bind(index);
  }
  template <class T>
  void integer(T x) const {
    statement.bind(index, static_cast<std::int64_t>(x));
  }
  void boolean(bool x) const {
    integer(x);
  }
  void floating(double x) const {
    statement.bind(index, x);
  }
  template <class Text>
  void text(const Text& x) const {
    statement.bindNoCopy(index, x);
  }

  SQLite::Statement& statement;
  int index;
};

std::string_view text_of(const SQLite::Column& column) {
  // Column::getText ends at a NUL. The size must be asked for last.
  const auto* text = static_cast<const char*>(column.getBlob());
  return {text == nullptr ? "" : text,
          static_cast<std::size_t>(column.getBytes())};
}

/// Whether a column holds the value.
struct Comparison {
  [[nodiscard]] bool null() const {
    return column.isNull();
  }
  template <class T>
  [[nodiscard]] bool integer(T x) const {
    return column.getInt64() == static_cast<std::int64_t>(x);
  }
  [[nodiscard]] bool boolean(bool x) const {
    return integer(x);
  }
  [[nodiscard]] bool floating(double x) const {
    return column.getDouble() == x;
  }
  [[nodiscard]] bool text(std::string_view x) const {
    return text_of(column) == x;
  }

  const SQLite::Column& column;
};

template <class T>
bool holds(const SQLite::Column& column, const T& x) {
  // A number or text of a column that is null would read as 0 or "".
  if constexpr (kind_of<T> == FieldKind::optional)
    if (x && column.isNull())
      return false;
  return visit_value(x, Comparison{column});
}

template <class Record>
bool columns_agree(SQLite::Statement& row, const Record& x) {
  auto result = true;
  auto index = 0;
  Table<Record>::each(x, [&](const auto&... values) {
    ((result = holds(row.getColumn(index++), values) && result), ...);
  });
  return result;
}

// -- reading ------------------------------------------------------------------

/// The columns hold what the reading of a decimal number may round.
void take_columns(SQLite::Statement& row, StoredCompany& x) {
  x.usage_cores = row.getColumn(1).getDouble();
  x.usage_memory_mb = row.getColumn(2).getDouble();
}

template <class Record>
void take_columns(SQLite::Statement&, Record&) {
}

/// Throws what is wrong with the record.
template <class Record>
void read_row(SQLite::Statement& row, Record& x) {
  // What users wrote need not be UTF-8.
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;
  boost::json::error_code error;
  auto text = text_of(row.getColumn(count_columns<Record>()));
  auto value
      = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error)
    throw JsonError{"", "is no JSON"};
  from_json(value, x);
  take_columns(row, x);
  if (!columns_agree(row, x))
    throw JsonError{"", "says something else than its columns"};
  // Last, as other findings say more.
  if (row.getColumn(count_columns<Record>() + 1).getInt() == 0)
    throw JsonError{"", "is not what was stored: its checksum is another"};
}

/// Calls `take` for each record.
template <class Record, class Take>
void read_table(SQLite::Database& database, const BadRecord& bad, Take&& take) {
  using Columns = Table<Record>;
  // Without a checksum the row was changed by hand on purpose (docs/storage.md).
  const std::string values = std::string{Columns::columns} + ", record";
  SQLite::Statement row{
      database,
      "SELECT " + values + ", checksum IS NULL OR checksum = stoker_checksum("
          + values + ") FROM " + Columns::name + " ORDER BY " + Columns::order};
  while (row.executeStep()) {
    Record record;
    try {
      read_row(row, record);
    } catch (const JsonError& e) {
      std::string key;
      for (int i = 0; i < Columns::keys; ++i)
        key += (i > 0 ? "/" : "") + std::string{text_of(row.getColumn(i))};
      bad(Columns::name, key, e.what());
      continue;
    }
    take(std::move(record));
  }
}

template <class Record>
void read_table(SQLite::Database& database, const BadRecord& bad,
                std::vector<Record>& out) {
  read_table<Record>(database, bad,
                     [&](Record&& x) { out.push_back(std::move(x)); });
}

// -- writing ------------------------------------------------------------------

template <class Record>
std::string put_sql() {
  std::string values = "?1";
  for (int i = 0; i < count_columns<Record>(); ++i)
    values += ", ?" + std::to_string(i + 2);
  return std::string{"INSERT OR REPLACE INTO "} + Table<Record>::name + " ("
         + Table<Record>::columns + ", record, checksum) VALUES (" + values
         + ", stoker_checksum(" + values + "))";
}

template <class... Values>
void execute(SQLite::Statement& statement, const Values&... values) {
  // Says again how its last run has ended, which was told then.
  statement.tryReset();
  int index = 0;
  (visit_value(values, Binder{statement, ++index}), ...);
  statement.exec();
}

/// SQLite moves rows between pages as others come and go, and leaves copies behind: of
/// so many bytes of a row, or fewer. What follows has pages of its own, which are zeroed
/// when the row is replaced or erased.
constexpr std::size_t bytes_within_row = 1024;

template <class Record>
bool has_secrets(const Record& x) {
  if constexpr (requires { x.description.command; }) {
    const Command& command = x.description.command;
    return !command.environment.empty()
           || (command.spark && !command.spark->java_options.empty());
  } else {
    return false;
  }
}

} // namespace

StoredState read_tables(SQLite::Database& database, const BadRecord& bad) {
  StoredState result;
  read_table<ClusterConfig>(
      database, bad, [&](ClusterConfig&& x) { result.config = std::move(x); });
  read_table<StoredCounters>(database, bad,
                             [&](StoredCounters&& x) { result.counters = x; });
  read_table(database, bad, result.workers);
  read_table(database, bad, result.applications);
  read_table(database, bad, result.instances);
  read_table(database, bad, result.executors);
  read_table(database, bad, result.drivers);
  read_table(database, bad, result.companies);
  read_table(database, bad, result.users);
  return result;
}

template <class Record>
SqliteTables::Put<Record>::Put(SQLite::Database& database)
    : statement(database, put_sql<Record>()) {
}

SqliteTables::SqliteTables(SQLite::Database& x)
    : puts_(x, x, x, x, x, x, x, x, x),
      erase_worker_(x, "DELETE FROM workers WHERE id = ?"),
      erase_application_(x, "DELETE FROM applications WHERE id = ?"),
      erase_instances_of_(x, "DELETE FROM instances WHERE app_id = ?"),
      erase_executor_(x,
                      "DELETE FROM executors WHERE app_id = ? AND exec_id = ?"),
      erase_executors_of_(x, "DELETE FROM executors WHERE app_id = ?"),
      erase_driver_(x, "DELETE FROM drivers WHERE id = ?"),
      erase_user_(x, "DELETE FROM users WHERE name = ?") {
}

void SqliteTables::apply(const Change& change) {
  std::visit([this](const auto& x) { put(x); }, change);
}

template <class Record>
void SqliteTables::put(const Record& x) {
  text_.clear();
  if (has_secrets(x))
    text_.append(bytes_within_row, ' ');
  append_json<Secrets::kept>(text_, x);
  auto& statement = std::get<Put<Record>>(puts_).statement;
  Table<Record>::each(x, [&](const auto&... columns) {
    execute(statement, columns..., text_);
  });
}

void SqliteTables::put(const EraseWorker& x) {
  execute(erase_worker_, x.id);
}

void SqliteTables::put(const EraseApplication& x) {
  execute(erase_application_, x.id);
}

void SqliteTables::put(const EraseInstancesOf& x) {
  execute(erase_instances_of_, x.app_id);
}

void SqliteTables::put(const EraseExecutor& x) {
  execute(erase_executor_, x.id.app_id, x.id.exec_id);
}

void SqliteTables::put(const EraseExecutorsOf& x) {
  execute(erase_executors_of_, x.app_id);
}

void SqliteTables::put(const EraseDriver& x) {
  execute(erase_driver_, x.id);
}

void SqliteTables::put(const EraseUser& x) {
  execute(erase_user_, x.name);
}

} // namespace stoker
