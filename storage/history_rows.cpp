#include "storage/history_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <SQLiteCpp/Column.h>
#include <boost/describe/enum_from_string.hpp>

#include "messages/states.hpp"

namespace stoker {

namespace {

constexpr std::string_view columns
    = "id, kind, app_id, name, user, company, state, exit_status, message, "
      "worker_id, host, instance, cores, memory_mb, submitted_ms, started_ms, "
      "ended_ms, core_ms, cpu_ms, peak_memory_mb, output_bytes, parts, "
      "failed_parts, relaunched_as";

/// Binds one value after the other.
class RowBinder {
public:
  explicit RowBinder(SQLite::Statement& statement) : statement_(statement) {
  }

  void put(const std::string& x) {
    statement_.bindNoCopy(++index_, x);
  }
  void put(std::int64_t x) {
    statement_.bind(++index_, x);
  }
  template <class Tag>
  void put(const Id<Tag>& x) {
    put(x.value);
  }
  template <class T>
  void put(const std::optional<T>& x) {
    if (x)
      put(*x);
    else
      statement_.bind(++index_);
  }

private:
  SQLite::Statement& statement_;
  int index_ = 0;
};

/// Reads one value after the other.
class RowReader {
public:
  explicit RowReader(SQLite::Statement& row) : row_(row) {
  }

  void take(std::string& x) {
    auto column = row_.getColumn(index_++);
    // Column::getText ends at a NUL. The size must be asked for last.
    const auto* text = static_cast<const char*>(column.getBlob());
    x.assign(text == nullptr ? "" : text,
             static_cast<std::size_t>(column.getBytes()));
  }
  void take(std::int64_t& x) {
    x = row_.getColumn(index_++).getInt64();
  }
  void take(int& x) {
    x = row_.getColumn(index_++).getInt();
  }
  template <class Tag>
  void take(Id<Tag>& x) {
    take(x.value);
  }
  template <class T>
  void take(std::optional<T>& x) {
    if (row_.isColumnNull(index_)) {
      ++index_;
      x.reset();
    } else {
      take(x.emplace());
    }
  }

private:
  SQLite::Statement& row_;
  int index_ = 0;
};

} // namespace

std::string history_columns() {
  return std::string{columns};
}

std::string history_columns_of(int version) {
  auto result = history_columns();
  if (version < 2)
    result.replace(result.find("relaunched_as"), std::string::npos, "NULL");
  return result;
}

std::string history_placeholders() {
  std::string result{"?"};
  for (auto c : columns)
    if (c == ',')
      result += ", ?";
  return result;
}

void bind_history_row(SQLite::Statement& to, const HistoryEntry& x) {
  RowBinder row{to};
  row.put(x.id);
  // Bound texts are not copied.
  static const std::string kinds[]{"application", "driver", "executor",
                                   "stage"};
  row.put(kinds[static_cast<std::size_t>(x.kind)]);
  row.put(x.app_id);
  row.put(x.name);
  row.put(x.user);
  row.put(x.company);
  row.put(x.state);
  row.put(x.exit_status);
  row.put(x.message);
  row.put(x.worker_id);
  row.put(x.host);
  row.put(x.instance);
  row.put(x.cores);
  row.put(x.memory_mb);
  row.put(x.submitted_ms);
  row.put(x.started_ms);
  row.put(x.ended_ms);
  row.put(x.core_ms);
  auto of_use = [&](std::int64_t ResourceUse::*member) {
    row.put(x.use ? std::optional{(*x.use).*member} : std::nullopt);
  };
  of_use(&ResourceUse::cpu_ms);
  of_use(&ResourceUse::peak_memory_mb);
  of_use(&ResourceUse::output_bytes);
  row.put(x.parts);
  row.put(x.failed_parts);
  row.put(x.relaunched_as);
}

HistoryEntry read_history_row(SQLite::Statement& from) {
  RowReader row{from};
  HistoryEntry result;
  std::string kind;
  row.take(result.id);
  row.take(kind);
  boost::describe::enum_from_string(kind.c_str(), result.kind);
  row.take(result.app_id);
  row.take(result.name);
  row.take(result.user);
  row.take(result.company);
  row.take(result.state);
  row.take(result.exit_status);
  row.take(result.message);
  row.take(result.worker_id);
  row.take(result.host);
  row.take(result.instance);
  row.take(result.cores);
  row.take(result.memory_mb);
  row.take(result.submitted_ms);
  row.take(result.started_ms);
  row.take(result.ended_ms);
  row.take(result.core_ms);
  std::optional<std::int64_t> cpu_ms;
  std::optional<std::int64_t> peak_memory_mb;
  std::optional<std::int64_t> output_bytes;
  row.take(cpu_ms);
  row.take(peak_memory_mb);
  row.take(output_bytes);
  if (cpu_ms || peak_memory_mb || output_bytes)
    result.use = ResourceUse{cpu_ms.value_or(0), peak_memory_mb.value_or(0),
                             output_bytes.value_or(0)};
  row.take(result.parts);
  row.take(result.failed_parts);
  row.take(result.relaunched_as);
  return result;
}

} // namespace stoker
