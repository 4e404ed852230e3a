#include "tools/stoker/planning_text.hpp"

#include "scheduling/common/format.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using Rows = std::vector<std::vector<std::string>>;

void print_estimate(std::ostream& out, const ExplanationResponse& x) {
  if (x.estimate)
    out << "Estimate: in about " << format_duration(Duration{x.estimate->in_ms})
        << ", when " << to_string(x.estimate->after) << " ends (guessed from "
        << printable(x.estimate->basis) << ").\n";
  else if (x.blocker != Blocker::none)
    out << "Estimate: none; nothing tells when running programs will end.\n";
}

} // namespace

void print_explanation(std::ostream& out, const ExplanationResponse& x) {
  out << to_string(x.app_id) << " '" << printable(x.name) << "' of "
      << printable(x.user) << ": " << to_string(x.state) << ", "
      << format_count(x.executors, "executor") << ", " << format_cores(x.cores);
  if (x.cores_wanted > 0)
    out << ", wants " << format_cores(x.cores_wanted) << " more";
  out << '\n';
  for (const auto& reason : x.reasons)
    out << "- " << printable(reason) << '\n';
  if (!x.remedy.empty())
    out << "Would start it: " << x.remedy << ".\n";
  print_estimate(out, x);
  if (x.ahead.empty())
    return;
  Rows rows;
  for (const auto& other : x.ahead)
    rows.push_back({to_string(other.id), other.name, other.user,
                    std::to_string(other.cores),
                    std::to_string(other.cores_wanted)});
  out << "\nAhead of it: " << format_count(x.position - 1, "application")
      << '\n';
  print_table(out, {"ID", "NAME", "USER", "CORES", "CORES WANTED"}, rows);
}

void print_plan(std::ostream& out, const PlanResponse& x) {
  Rows rows;
  for (const auto& start : x.starts)
    rows.push_back({to_string(start.app_id), start.name,
                    to_string(start.worker_id), std::to_string(start.executors),
                    std::to_string(start.cores),
                    format_memory(start.memory_mb)});
  out << "Would be started\n";
  print_table(out,
              {"APPLICATION", "NAME", "WORKER", "EXECUTORS", "CORES", "MEMORY"},
              rows);
  rows.clear();
  for (const auto& y : x.outcomes)
    rows.push_back({to_string(y.app_id), y.name,
                    std::to_string(y.executors_lost),
                    std::to_string(y.executors_started),
                    std::to_string(y.cores_wanted), y.reason});
  out << "\nApplications that would be affected\n";
  print_table(out,
              {"APPLICATION", "NAME", "LOST", "STARTED", "CORES WANTED", "WHY"},
              rows);
  out << "\nAfterwards " << x.free.cores << " of "
      << format_cores(x.total.cores) << " and "
      << format_memory(x.free.memory_mb) << " of "
      << format_memory(x.total.memory_mb) << " would be free.\n"
      << "Nothing was changed.\n";
}

} // namespace stoker
