#include "pages/history.hpp"

#include <optional>
#include <utility>

#include "pages/links.hpp"
#include "scheduling/common/format_use.hpp"

namespace stoker::pages {

namespace {

Cell if_any(const std::optional<std::string>& x) {
  return x ? text(*x) : Cell{};
}

/// Leads to what the history has of it.
Cell history_link(const HistoryEntry& x) {
  return link_to(x.id, href_of_history(x.id));
}

/// Of nothing that counts in bytes: a dash.
Cell used(const HistoryEntry& x, std::int64_t ResourceUse::*member,
          std::string (*format)(std::int64_t)) {
  return at_right(x.use ? format((*x.use).*member) : "-");
}

std::string mb_text(std::int64_t mb) {
  return std::to_string(mb) + " MB";
}

} // namespace

Table history_table(const HistoryResponse& x, const std::string& next) {
  Table result;
  // As the page takes times to look for.
  result.head = {"Id",          "Name",        "User", "Company",   "State",
                 "Exit",        "Ended (UTC)", "Ran",  "Core time", "CPU time",
                 "Peak memory", "Output",      "Cause"};
  result.empty = "Nothing of this kind has ended, or it is not kept any more.";
  for (const auto& entry : x.entries)
    result.rows.push_back(
        {entry.id,
         {history_link(entry), text(entry.name), text(entry.user),
          if_any(entry.company), state(entry.state, entry.exit_status),
          number(entry.exit_status), typed_utc_time(entry.ended_ms),
          entry.started_ms
              ? elapsed(*entry.started_ms, entry.ended_ms, entry.ended_ms)
              : text("-"),
          at_right(entry.core_ms > 0 ? format_core_time(entry.core_ms) : "-"),
          used(entry, &ResourceUse::cpu_ms, format_core_time),
          used(entry, &ResourceUse::peak_memory_mb, mb_text),
          used(entry, &ResourceUse::output_bytes, format_bytes),
          if_any(entry.message)}});
  result.next = next;
  return result;
}

Table use_table(const UseResponse& x) {
  Table result;
  result.title = "Use by month";
  result.head = {"Month",     "Company",      "Core hours", "Memory GB hours",
                 "CPU hours", "Applications", "Drivers",    "Executors"};
  result.empty = "Nothing has been used yet.";
  for (const auto& use : x.months)
    result.rows.push_back(
        {use.month + ' ' + use.company.value_or(""),
         {text(use.month), if_any(use.company),
          at_right(format_hours(use.core_ms)),
          at_right(format_gb_hours(use.memory_mb_s)),
          at_right(format_hours(use.cpu_ms)), number(use.applications),
          number(use.drivers), number(use.executors)}});
  return result;
}

} // namespace stoker::pages
