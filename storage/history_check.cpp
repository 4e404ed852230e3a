#include "storage/history_check.hpp"

#include <boost/describe/enum_from_string.hpp>

#include <SQLiteCpp/Statement.h>

#include "messages/history.hpp"
#include "storage/history_rows.hpp"
#include "storage/history_schema.hpp"
#include "storage/monthly_use.hpp"
#include "storage/sqlite_errors.hpp"
#include "storage/sqlite_schema.hpp"
#include "storage/sqlite_snapshot.hpp"

namespace stoker {

namespace {

void check_entries(SQLite::Database& database, int version,
                   HistoryFindings& out) {
  SQLite::Statement rows{database, "SELECT " + history_columns_of(version)
                                       + ", kind FROM entries"};
  const auto kind_column = rows.getColumnCount() - 1;
  while (rows.executeStep()) {
    ++out.entries;
    auto entry = read_history_row(rows);
    auto kind = rows.getColumn(kind_column).getString();
    if (!boost::describe::enum_from_string(kind.c_str(), entry.kind))
      out.problems.push_back("entries '" + entry.id + "': '" + kind
                             + "' is no kind");
  }
}

void check_sums(SQLite::Database& database, HistoryFindings& out) {
  SQLite::Statement rows{database, "SELECT month, user FROM use_by_month"};
  while (rows.executeStep()) {
    ++out.sums;
    auto month = rows.getColumn(0).getString();
    if (!is_month(month))
      out.problems.push_back("use_by_month '" + month + "' of '"
                             + rows.getColumn(1).getString()
                             + "': that is no month");
  }
  if (!database.execAndGet("SELECT count(*) FROM removed").getInt())
    out.problems.emplace_back("removed: the row is missing");
}

} // namespace

Result<HistoryFindings> check_history(const std::string& path) {
  return catch_check_failures(path, [&] {
    check_header(path, history_schema_steps());
    return read_snapshot(path, [&](SQLite::Database& database) {
      auto version = check_version(database, path, history_schema_steps());
      HistoryFindings result;
      result.problems = damage_in(database);
      // What stands in damaged pages is not worth to be looked at.
      if (result.problems.empty()) {
        check_entries(database, version, result);
        check_sums(database, result);
      }
      return result;
    });
  });
}

} // namespace stoker
