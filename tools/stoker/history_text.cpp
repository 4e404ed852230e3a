#include "tools/stoker/history_text.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/printable.hpp"
#include "messages/states.hpp"
#include "scheduling/common/format_use.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using HistoryRows = std::vector<std::vector<std::string>>;

std::string ran_text(const HistoryEntry& x) {
  return x.started_ms ? elapsed_text(*x.started_ms, x.ended_ms, x.ended_ms)
                      : "-";
}

template <class T>
std::string dash_or(const std::optional<T>& x) {
  if (!x)
    return "-";
  if constexpr (std::is_same_v<T, std::string>)
    return *x;
  else
    return std::to_string(*x);
}

std::vector<std::string> row_of(const HistoryEntry& x, bool with_company) {
  std::vector<std::string> row{x.id, name_cell(x.name), name_cell(x.user)};
  if (with_company)
    row.push_back(name_cell(dash_or(x.company)));
  row.insert(row.end(),
             {x.state, dash_or(x.exit_status), time_text(x.ended_ms),
              ran_text(x), x.core_ms > 0 ? format_core_time(x.core_ms) : "-"});
  if (x.use)
    row.insert(row.end(), {format_core_time(x.use->cpu_ms),
                           std::to_string(x.use->peak_memory_mb) + " MB",
                           format_bytes(x.use->output_bytes)});
  else
    row.insert(row.end(), {"-", "-", "-"});
  row.push_back(dash_or(x.message));
  return row;
}

/// What of a history is not there any more, where it matters.
void print_removed(std::ostream& out, const HistoryResponse& x,
                   const std::optional<std::int64_t>& since_ms) {
  if (!x.kept_since_ms)
    return;
  auto kept_since = *x.kept_since_ms;
  if (!since_ms || *since_ms < kept_since)
    out << "Entries of what ended before " << time_text(kept_since)
        << " were removed (stoker.history.maxAge, maxSize).\n";
  auto is_cut = [&](const HistoryEntry& entry) {
    return entry.kind == HistoryKind::application && entry.started_ms
           && *entry.started_ms < kept_since;
  };
  if (std::any_of(x.entries.begin(), x.entries.end(), is_cut))
    out << "Applications that began before " << time_text(kept_since)
        << " have the use of those of their executors that ended later.\n";
}

// -- CSV ----------------------------------------------------------------------

/// Writes the cells of one line.
class CsvLine {
public:
  explicit CsvLine(std::ostream& out) : out_(out) {
  }
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;
  ~CsvLine() {
    out_ << "\r\n";
  }

  void put(const std::string& any_text) {
    separate();
    auto text = as_utf8(any_text);
    // A spreadsheet would compute what begins so. The quote in front of it makes it a text;
    // one that is there already gets another, so that a reader can take one away.
    if (text.find_first_of("=+-@\t\r'") == 0)
      text.insert(text.begin(), '\'');
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
      out_ << text;
      return;
    }
    out_ << '"';
    for (auto c : text) {
      if (c == '"')
        out_ << '"';
      out_ << c;
    }
    out_ << '"';
  }
  void put(std::int64_t number) {
    separate();
    out_ << number;
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
      separate();
  }

private:
  void separate() {
    if (!std::exchange(is_first_, false))
      out_ << ',';
  }

  std::ostream& out_;
  bool is_first_ = true;
};

void put_names(std::ostream& out, std::initializer_list<const char*> names) {
  CsvLine line{out};
  for (const auto* name : names)
    line.put(std::string{name});
}

} // namespace

void print_history(std::ostream& out, const HistoryResponse& x,
                   const std::optional<std::int64_t>& since_ms) {
  auto with_company
      = std::any_of(x.entries.begin(), x.entries.end(), [](const auto& entry) {
          return entry.company.has_value();
        });
  HistoryRows rows;
  for (auto i = x.entries.rbegin(); i != x.entries.rend(); ++i)
    rows.push_back(row_of(*i, with_company));
  std::vector<std::string> heading{"ID", "NAME", "USER"};
  if (with_company)
    heading.emplace_back("COMPANY");
  heading.insert(heading.end(), {"STATE", "EXIT", "ENDED", "RAN", "CORE TIME",
                                 "CPU TIME", "PEAK MEMORY", "OUTPUT", "CAUSE"});
  if (x.next)
    out << "The last " << rows.size() << "; --limit and --until show others\n";
  print_table(out, heading, rows);
  print_removed(out, x, since_ms);
}

void print_use(std::ostream& out, const UseResponse& x, bool by_user) {
  auto with_company
      = std::any_of(x.months.begin(), x.months.end(),
                    [](const auto& use) { return use.company.has_value(); });
  std::vector<std::string> heading{"MONTH"};
  if (with_company)
    heading.emplace_back("COMPANY");
  if (by_user)
    heading.emplace_back("USER");
  heading.insert(heading.end(), {"CORE HOURS", "MEMORY GB HOURS", "CPU HOURS",
                                 "APPLICATIONS", "DRIVERS", "EXECUTORS"});
  HistoryRows rows;
  for (const auto& use : x.months) {
    auto& row = rows.emplace_back();
    row.push_back(use.month);
    if (with_company)
      row.push_back(name_cell(dash_or(use.company)));
    if (by_user)
      row.push_back(name_cell(use.user));
    row.insert(row.end(),
               {format_hours(use.core_ms), format_gb_hours(use.memory_mb_s),
                format_hours(use.cpu_ms), std::to_string(use.applications),
                std::to_string(use.drivers), std::to_string(use.executors)});
  }
  print_table(out, heading, rows);
}

void print_history_csv(std::ostream& out, const HistoryResponse& x) {
  put_names(out,
            {"kind",         "id",        "app_id",       "name",
             "user",         "company",   "state",        "exit_status",
             "message",      "worker_id", "host",         "instance",
             "cores",        "memory_mb", "submitted_ms", "started_ms",
             "ended_ms",     "core_ms",   "cpu_ms",       "peak_memory_mb",
             "output_bytes", "parts",     "failed_parts", "relaunched_as"});
  for (const auto& entry : x.entries) {
    CsvLine line{out};
    line.put(to_string(entry.kind));
    line.put(entry.id);
    line.put(entry.app_id);
    line.put(entry.name);
    line.put(entry.user);
    line.put(entry.company);
    line.put(entry.state);
    line.put(entry.exit_status);
    line.put(entry.message);
    line.put(entry.worker_id);
    line.put(entry.host);
    line.put(entry.instance);
    line.put(entry.cores);
    line.put(entry.memory_mb);
    line.put(entry.submitted_ms);
    line.put(entry.started_ms);
    line.put(entry.ended_ms);
    line.put(entry.core_ms);
    for (auto member : {&ResourceUse::cpu_ms, &ResourceUse::peak_memory_mb,
                        &ResourceUse::output_bytes})
      line.put(entry.use ? std::optional{(*entry.use).*member} : std::nullopt);
    line.put(entry.parts);
    line.put(entry.failed_parts);
    line.put(entry.relaunched_as);
  }
}

void print_use_csv(std::ostream& out, const UseResponse& x) {
  put_names(out, {"month", "company", "user", "core_ms", "memory_mb_s",
                  "cpu_ms", "applications", "drivers", "executors"});
  for (const auto& use : x.months) {
    CsvLine line{out};
    line.put(use.month);
    line.put(use.company);
    line.put(use.user);
    for (auto number : {use.core_ms, use.memory_mb_s, use.cpu_ms,
                        use.applications, use.drivers, use.executors})
      line.put(number);
  }
}

} // namespace stoker
