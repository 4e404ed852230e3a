#include "tools/stoker/top_view.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <tuple>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/remark.hpp"
#include "tools/stoker/table.hpp"
#include "tools/stoker/text_width.hpp"

namespace stoker {

namespace {

using TopLines = std::vector<std::string>;
using TopRow = std::vector<std::string>;

constexpr std::size_t top_bar_width = 20;

/// A terminal that is narrower shows nothing of use.
constexpr std::size_t narrowest = 8;

/// Something that a table shows, with what it can be sorted by.
struct TopEntry {
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::string name;
  TopRow row;
};

void sort(std::vector<TopEntry>& entries, TopOrder order) {
  std::stable_sort(entries.begin(), entries.end(),
                   [order](const TopEntry& a, const TopEntry& b) {
                     switch (order) {
                     case TopOrder::cores:
                       return std::tie(b.cores, b.memory_mb, a.name)
                              < std::tie(a.cores, a.memory_mb, b.name);
                     case TopOrder::memory:
                       return std::tie(b.memory_mb, b.cores, a.name)
                              < std::tie(a.memory_mb, a.cores, b.name);
                     case TopOrder::name:
                       break;
                     }
                     return a.name < b.name;
                   });
}

/// What becomes of a column where a table is too wide.
struct TopCut {
  std::string column;

  /// So many cells are left. 0: it is left out.
  std::size_t cells = 0;

  /// The last ones: what ids begin with is the same.
  bool is_of_end = false;
};

struct TopPart {
  const char* title;
  TopRow heading;
  std::vector<TopEntry> entries;

  /// The first that are needed are made.
  std::vector<TopCut> cuts;

  /// Lines below the table, where there is room.
  TopLines notes;
};

std::string cut_text(const std::string& text, const TopCut& cut) {
  if (!cut.is_of_end || cells_of(text) <= cut.cells)
    return shortened_to_cells(text, cut.cells);
  // Ids have no others than ASCII.
  return "..."
         + text.substr(text.size() - std::min(text.size(), cut.cells - 3));
}

/// As `print_table` writes it.
std::size_t width_of(const TopRow& heading, const std::vector<TopRow>& rows) {
  auto result = heading.size() * 2;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    auto widest = heading[i].size();
    for (const auto& row : rows)
      widest = std::max(widest, cells_of(row[i]));
    result += widest;
  }
  return result;
}

void make(const TopCut& cut, TopRow& heading, std::vector<TopRow>& rows) {
  auto found = std::find(heading.begin(), heading.end(), cut.column);
  if (found == heading.end())
    return;
  auto column = found - heading.begin();
  for (auto& row : rows)
    if (cut.cells == 0)
      row.erase(row.begin() + column);
    else
      row[static_cast<std::size_t>(column)]
          = cut_text(row[static_cast<std::size_t>(column)], cut);
  if (cut.cells == 0)
    heading.erase(found);
}

/// Lines besides rows, and the heading above them.
struct TopSpacing {
  /// Empty ones before each part.
  std::size_t empty = 0;

  /// Whether a part without rows says so below its title, and not behind it.
  bool none_below = true;
};

/// @param rows How many at most.
TopLines lines_of(const TopPart& part, std::size_t rows, std::size_t width,
                  const TopSpacing& spacing) {
  std::vector<TopRow> shown;
  for (const auto& x : part.entries)
    if (shown.size() < rows)
      shown.push_back(x.row);
  TopLines result{part.title};
  // Behind the title: a line of its own would take a row's.
  if (shown.size() < part.entries.size())
    result.front() += ", and "
                      + std::to_string(part.entries.size() - shown.size())
                      + " more";
  auto has_none = part.entries.empty();
  if (has_none && !spacing.none_below)
    result.front() += " (none)";
  if (!shown.empty() || (has_none && spacing.none_below)) {
    auto heading = part.heading;
    for (const auto& cut : part.cuts)
      if (width_of(heading, shown) > width)
        make(cut, heading, shown);
    std::stringstream table;
    print_table(table, heading, shown);
    for (std::string line; std::getline(table, line);)
      result.push_back(std::move(line));
  }
  return result;
}

std::string of_text(const std::string& used, const std::string& total) {
  return used + " of " + total;
}

/// What the executors of an application have: unknown where each takes what its worker has.
std::optional<std::int64_t> memory_of(const ApplicationInfo& x) {
  if (!x.cores_per_executor || *x.cores_per_executor <= 0)
    return x.cores_granted == 0 ? std::optional<std::int64_t>{0} : std::nullopt;
  return std::int64_t{x.cores_granted / *x.cores_per_executor}
         * x.memory_per_executor_mb;
}

TopPart workers_of(const MasterStateResponse& state) {
  // The bars have a name each, to be left out by.
  TopPart result{"Workers",
                 {"ID", "HOST", "STATE", "CORES USED", " ", "MEMORY USED", ""},
                 {},
                 {{"ID", 24, true},
                  {"", 0},
                  {"HOST", 16},
                  {" ", 0},
                  {"HOST", 0},
                  {"ID", 12, true}},
                 {}};
  for (const auto& x : state.workers) {
    if (x.state == WorkerState::DEAD)
      continue;
    result.entries.push_back(
        {x.cores_used,
         x.memory_used_mb,
         to_string(x.id),
         {to_string(x.id), name_cell(x.host), to_string(x.state),
          of_text(std::to_string(x.cores_used), std::to_string(x.cores)),
          usage_bar(x.cores_used, x.cores, top_bar_width / 2),
          of_text(memory_text(x.memory_used_mb), memory_text(x.memory_mb)),
          usage_bar(x.memory_used_mb, x.memory_mb, top_bar_width / 2)}});
  }
  return result;
}

/// "app-1 waits for app-0", "app-2 waits: no worker is there". Nothing: nobody knows.
std::optional<std::string> waiting_text(const ApplicationInfo& x,
                                        const TopView& view) {
  if (!x.waits_for.empty())
    return to_string(x.id) + ' ' + remark_on(x).value_or("");
  auto i = view.reasons.find(x.id);
  if (i == view.reasons.end() || x.state != ApplicationState::WAITING)
    return std::nullopt;
  return to_string(x.id) + " waits: " + i->second;
}

TopPart applications_of(const MasterStateResponse& state, const TopView& view) {
  TopPart result{
      "Applications",
      {"ID", "NAME", "USER", "STATE", "CORES", "MEMORY", "DONE", "ELAPSED"},
      {},
      {{"NAME", 20},
       {"MEMORY", 0},
       {"USER", 10},
       {"NAME", 10},
       {"USER", 0},
       {"DONE", 0},
       {"CORES", 0},
       {"ID", 12, true}},
      {}};
  for (const auto& x : state.active_apps) {
    if (auto text = waiting_text(x, view))
      result.notes.push_back("  " + printable(*text));
    auto memory = memory_of(x);
    result.entries.push_back(
        {x.cores_granted,
         memory.value_or(0),
         x.name,
         {to_string(x.id), name_cell(x.name), name_cell(x.user),
          to_string(x.state), std::to_string(x.cores_granted),
          memory ? memory_text(*memory) : "-",
          x.instances ? of_text(std::to_string(x.instances_done),
                                std::to_string(*x.instances))
                      : "-",
          elapsed_text(x.submitted_ms, x.ended_ms, view.now_ms)}});
  }
  return result;
}

TopPart drivers_of(const MasterStateResponse& state, std::int64_t now_ms) {
  TopPart result{
      "Drivers",
      {"ID", "NAME", "USER", "STATE", "WORKER", "CORES", "MEMORY", "ELAPSED"},
      {},
      {{"WORKER", 24, true},
       {"NAME", 20},
       {"WORKER", 0},
       {"MEMORY", 0},
       {"USER", 10},
       {"NAME", 10},
       {"USER", 0},
       {"CORES", 0},
       {"ID", 12, true}},
      {}};
  for (const auto& x : state.active_drivers) {
    auto has_room = x.worker_id.has_value();
    result.entries.push_back(
        {has_room ? x.cores : 0,
         has_room ? x.memory_mb : 0,
         x.name,
         {to_string(x.id), name_cell(x.name), name_cell(x.user),
          to_string(x.state), has_room ? to_string(*x.worker_id) : "-",
          std::to_string(x.cores), memory_text(x.memory_mb),
          elapsed_text(x.submitted_ms, x.ended_ms, now_ms)}});
  }
  return result;
}

/// What is used of workers that are there, and how much there is.
struct TopTotals {
  std::int64_t cores = 0;
  std::int64_t cores_used = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_used_mb = 0;
  std::int64_t alive = 0;
  std::int64_t others = 0;
};

TopTotals totals_of(const MasterStateResponse& state) {
  TopTotals result;
  for (const auto& x : state.workers) {
    if (x.state != WorkerState::ALIVE) {
      ++result.others;
      continue;
    }
    ++result.alive;
    result.cores += x.cores;
    result.cores_used += x.cores_used;
    result.memory_mb += x.memory_mb;
    result.memory_used_mb += x.memory_used_mb;
  }
  return result;
}

TopLines head_of(const MasterStateResponse& state, const TopView& view) {
  auto totals = totals_of(state);
  auto waiting = std::count_if(
      state.active_apps.begin(), state.active_apps.end(),
      [](const auto& x) { return x.state == ApplicationState::WAITING; });
  // Whoever does not answer may not be there.
  auto status = view.problem.empty() ? to_string(state.status) : "UNREACHABLE";
  TopLines result{status + ' ' + state.master_url + "  "
                  + time_text(view.now_ms)};
  if (!view.problem.empty())
    result.push_back(view.problem);
  result.push_back(
      format_count(totals.alive, "worker") + " alive"
      + (totals.others > 0 ? ", " + std::to_string(totals.others) + " not"
                           : std::string{})
      + "; " + format_count(std::ssize(state.active_apps), "application")
      + (waiting > 0 ? ", " + std::to_string(waiting) + " waiting"
                     : std::string{})
      + "; " + format_count(std::ssize(state.active_drivers), "driver"));
  result.push_back("Cores   "
                   + usage_bar(totals.cores_used, totals.cores, top_bar_width)
                   + ' '
                   + of_text(std::to_string(totals.cores_used),
                             std::to_string(totals.cores)));
  result.push_back(
      "Memory  "
      + usage_bar(totals.memory_used_mb, totals.memory_mb, top_bar_width) + ' '
      + of_text(memory_text(totals.memory_used_mb),
                memory_text(totals.memory_mb)));
  return result;
}

/// How parts share the lines that there are for them.
struct TopLayout {
  /// Of each part.
  std::vector<std::size_t> rows;

  TopSpacing spacing;

  /// Each part that has rows shows one at least.
  bool shows_each = true;

  /// All parts show all of them.
  bool shows_all = true;
};

/// Those that need few rows get them, the others share the rest.
TopLayout layout_with(const std::vector<TopPart>& parts, std::size_t lines,
                      const TopSpacing& spacing) {
  TopLayout result{std::vector<std::size_t>(parts.size(), 0), spacing};
  auto take = [&](std::size_t count) { lines -= std::min(count, lines); };
  // A title, and what stands below that of a part that has no rows.
  for (const auto& x : parts)
    take(spacing.empty + (x.entries.empty() && spacing.none_below ? 2 : 1));
  for (auto given = true; given && lines > 0;) {
    given = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& rows = result.rows[i];
      // The first comes with its heading.
      auto needed = rows == 0 ? std::size_t{2} : std::size_t{1};
      if (rows < parts[i].entries.size() && needed <= lines) {
        take(needed);
        ++rows;
        given = true;
      }
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto all = parts[i].entries.size();
    result.shows_each &= all == 0 || result.rows[i] > 0;
    result.shows_all &= result.rows[i] == all;
  }
  return result;
}

/// With an empty line before each part, if no part loses all its rows for it, nor the picture
/// the last that it leaves out. Nor does one for a line that says of another that it has none.
TopLayout layout_of(const std::vector<TopPart>& parts, std::size_t lines) {
  auto airy = layout_with(parts, lines, {1, true});
  auto dense = layout_with(parts, lines, {0, true});
  if (airy.shows_each && (airy.shows_all || !dense.shows_all))
    return airy;
  return dense.shows_each ? dense : layout_with(parts, lines, {0, false});
}

} // namespace

std::string usage_bar(std::int64_t used, std::int64_t total,
                      std::size_t width) {
  auto full = total <= 0 ? std::size_t{0}
                         : static_cast<std::size_t>(
                             std::clamp<std::int64_t>(used, 0, total)
                             * static_cast<std::int64_t>(width) / total);
  // What is used at all can be seen.
  if (used > 0 && full == 0 && width > 0)
    full = 1;
  return '[' + std::string(full, '#') + std::string(width - full, '-') + ']';
}

std::vector<std::string> top_lines(const MasterStateResponse& state,
                                   const TopView& view) {
  std::vector<TopPart> parts;
  parts.push_back(workers_of(state));
  parts.push_back(applications_of(state, view));
  if (!state.active_drivers.empty())
    parts.push_back(drivers_of(state, view.now_ms));
  for (auto& x : parts)
    sort(x.entries, view.order);
  auto result = head_of(state, view);
  if (!view.hint.empty())
    result.push_back(view.hint);
  auto left = std::numeric_limits<std::size_t>::max();
  if (view.height)
    left = std::max(*view.height, result.size()) - result.size();
  auto layout = layout_of(parts, left);
  auto width = view.width ? std::max(*view.width, narrowest)
                          : std::numeric_limits<std::size_t>::max();
  std::vector<TopLines> tables;
  auto lines = result.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tables.push_back(lines_of(parts[i], layout.rows[i], width, layout.spacing));
    lines += tables.back().size() + layout.spacing.empty;
  }
  // Rows come first, and then what keeps parts apart.
  std::size_t room = 0;
  if (layout.shows_all && layout.spacing.empty > 0)
    room = view.height ? std::max(*view.height, lines) - lines
                       : std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result.resize(result.size() + layout.spacing.empty);
    for (auto& line : tables[i])
      result.push_back(std::move(line));
    for (auto& note : parts[i].notes)
      if (room > 0) {
        result.push_back(std::move(note));
        --room;
      }
  }
  if (view.height && result.size() > *view.height)
    result.resize(*view.height);
  if (view.width)
    for (auto& line : result)
      line = shortened_to_cells(line, width);
  return result;
}

} // namespace stoker
