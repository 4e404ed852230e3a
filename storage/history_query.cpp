#include "storage/history_query.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <SQLiteCpp/Statement.h>

#include "messages/states.hpp"
#include "storage/history_rows.hpp"
#include "storage/monthly_use.hpp"

namespace stoker {

namespace {

/// Conditions that all have to hold, with their values.
class Conditions {
public:
  void add(std::string text) {
    text_ += (text_.empty() ? " WHERE " : " AND ") + std::move(text);
  }
  template <class T>
  void add(const char* text, const std::optional<T>& value) {
    if (!value)
      return;
    add(text);
    push(*value);
  }
  void push(std::int64_t x) {
    values_.emplace_back(x);
  }
  void push(const std::string& x) {
    values_.emplace_back(x);
  }
  void push(const AppId& x) {
    values_.emplace_back(x.value);
  }

  [[nodiscard]] const std::string& text() const noexcept {
    return text_;
  }

  /// Texts are not copied: this object must outlive the statement.
  void bind(SQLite::Statement& to) const {
    int index = 0;
    for (const auto& value : values_)
      std::visit(
          [&](const auto& x) {
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>,
                                         std::string>)
              to.bindNoCopy(++index, x);
            else
              to.bind(++index, x);
          },
          value);
  }

private:
  std::string text_;
  std::vector<std::variant<std::int64_t, std::string>> values_;
};

/// Where an answer ends: the end of its last entry, a space, and the entry's id.
struct HistoryCursor {
  std::int64_t ended_ms = 0;
  std::string id;
};

std::optional<HistoryCursor> parse_cursor(std::string_view text) {
  HistoryCursor result;
  const auto* end = text.data() + text.size();
  auto [after, error] = std::from_chars(text.data(), end, result.ended_ms);
  if (error != std::errc{} || after == end || *after != ' ')
    return std::nullopt;
  result.id.assign(after + 1, end);
  return result;
}

/// The ids of what belongs to an application stand between these.
std::pair<std::string, std::string> ids_below(const std::string& app) {
  // '0' comes after '/'.
  return {app + '/', app + '0'};
}

/// What an application used: what its executors did.
class ExecutorSums {
public:
  explicit ExecutorSums(SQLite::Database& database)
      : statement_(database,
                   "SELECT sum(core_ms), sum(cpu_ms), max(peak_memory_mb), "
                   "sum(output_bytes), count(cpu_ms) FROM entries "
                   "WHERE id > ? AND id < ? AND kind = 'executor'") {
  }

  void fill(HistoryEntry& x) {
    auto [first, end] = ids_below(x.id);
    statement_.reset();
    statement_.bindNoCopy(1, first);
    statement_.bindNoCopy(2, end);
    if (!statement_.executeStep())
      return;
    x.core_ms = statement_.getColumn(0).getInt64();
    if (statement_.getColumn(4).getInt64() > 0)
      x.use = ResourceUse{statement_.getColumn(1).getInt64(),
                          statement_.getColumn(2).getInt64(),
                          statement_.getColumn(3).getInt64()};
    statement_.reset();
  }

private:
  SQLite::Statement statement_;
};

std::string kinds_text(const std::vector<HistoryKind>& kinds) {
  std::string result;
  for (auto kind : kinds)
    result += (result.empty() ? "'" : ", '") + to_string(kind) + '\'';
  return "kind IN (" + result + ')';
}

Conditions conditions_of(const RequestHistory& x) {
  Conditions result;
  if (!x.kinds.empty())
    result.add(kinds_text(x.kinds));
  result.add("id = ?", x.id);
  if (x.app_id) {
    auto [first, end] = ids_below(x.app_id->value);
    result.add("(id = ? OR (id > ? AND id < ?))");
    result.push(*x.app_id);
    result.push(first);
    result.push(end);
  }
  result.add("name = ?", x.name);
  result.add("user = ?", x.user);
  result.add("company = ?", x.company);
  // An executor whose command fails has EXITED, as Spark calls it.
  if (x.state == to_string(ExecutorState::FAILED))
    result.add("(state = 'FAILED' OR (state = 'EXITED' AND exit_status <> 0))");
  else
    result.add("state = ?", x.state);
  result.add("ended_ms >= ?", x.since_ms);
  result.add("ended_ms < ?", x.until_ms);
  if (auto cursor = x.after ? parse_cursor(*x.after) : std::nullopt) {
    result.add("(ended_ms, id) < (?, ?)");
    result.push(cursor->ended_ms);
    result.push(cursor->id);
  }
  return result;
}

Error bad_request(std::string message) {
  return {Errc::invalid_request, std::move(message)};
}

} // namespace

Status check_history_request(const RequestHistory& x) {
  if (x.rows_max < 1 || x.rows_max > history_rows_max)
    return bad_request("a history is given in at most "
                       + std::to_string(history_rows_max)
                       + " entries at once, and at least 1");
  if (x.after && !parse_cursor(*x.after))
    return bad_request("'after' is not where an answer ended");
  return {};
}

Status check_use_request(const RequestUse& x) {
  for (const auto& month : {x.from, x.to})
    if (month && !is_month(*month))
      return bad_request("a month is written as 2026-11, not as '" + *month
                         + "'");
  return {};
}

HistoryResponse find_history(SQLite::Database& database,
                             const RequestHistory& x) {
  auto conditions = conditions_of(x);
  SQLite::Statement rows{database,
                         "SELECT " + history_columns() + " FROM entries"
                             + conditions.text()
                             + " ORDER BY ended_ms DESC, id DESC LIMIT "
                             + std::to_string(x.rows_max + 1)};
  conditions.bind(rows);
  ExecutorSums sums{database};
  HistoryResponse result;
  while (rows.executeStep()) {
    if (std::ssize(result.entries) == x.rows_max) {
      const auto& last = result.entries.back();
      result.next = std::to_string(last.ended_ms) + ' ' + last.id;
      break;
    }
    auto& entry = result.entries.emplace_back(read_history_row(rows));
    if (entry.kind == HistoryKind::application)
      sums.fill(entry);
  }
  return result;
}

UseResponse find_use(SQLite::Database& database, const RequestUse& x) {
  Conditions conditions;
  conditions.add("month >= ?", x.from);
  conditions.add("month <= ?", x.to);
  if (x.company)
    conditions.add("has_company = 1");
  conditions.add("company = ?", x.company);
  conditions.add("user = ?", x.user);
  SQLite::Statement rows{
      database,
      "SELECT month, company, has_company, user, core_ms, memory_mb_s, "
      "cpu_ms, applications, drivers, executors FROM use_by_month"
          + conditions.text()
          + " ORDER BY month DESC, has_company, company, user"};
  conditions.bind(rows);
  UseResponse result;
  while (rows.executeStep()) {
    auto text = [&](int column) { return rows.getColumn(column).getString(); };
    auto number = [&](int column) { return rows.getColumn(column).getInt64(); };
    auto& use = result.months.emplace_back();
    use.month = text(0);
    if (number(2) != 0)
      use.company = text(1);
    use.user = text(3);
    use.core_ms = number(4);
    use.memory_mb_s = number(5);
    use.cpu_ms = number(6);
    use.applications = number(7);
    use.drivers = number(8);
    use.executors = number(9);
  }
  return result;
}

std::optional<std::int64_t> nth_end(SQLite::Database& database, int n) {
  SQLite::Statement row{database, "SELECT ended_ms FROM entries ORDER BY "
                                  "ended_ms, id LIMIT 1 OFFSET ?"};
  row.bind(1, n - 1);
  return row.executeStep() ? std::optional{row.getColumn(0).getInt64()}
                           : std::nullopt;
}

std::int64_t median_end(SQLite::Database& database) {
  int entries = database.execAndGet("SELECT count(*) FROM entries");
  return nth_end(database, entries / 2 + 1).value_or(-1);
}

} // namespace stoker
