#include "tools/stoker/planning_text.hpp"

#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// More than any cluster has: it takes whatever there is, as an application of Spark
/// without `spark.cores.max` does.
bool is_without_limit(int cores) {
  constexpr int many = 1'000'000'000;
  return cores >= many;
}

void print_estimate(std::ostream& out, const ExplanationResponse& x) {
  if (x.estimate)
    out << "Estimate: in about " << format_duration(Duration{x.estimate->in_ms})
        << ", when " << printable(id_text(*x.estimate))
        << " ends (guessed from " << printable(x.estimate->basis) << ").\n";
  else if (x.blocker != Blocker::none && !x.driver_id)
    out << "Estimate: none; nothing tells when running programs will end.\n";
}

/// The first line.
void print_subject(std::ostream& out, const ExplanationResponse& x) {
  out << (x.driver_id ? to_string(*x.driver_id) : to_string(x.app_id)) << " '"
      << printable(x.name) << "' of " << printable(x.user) << ": ";
  if (x.driver_state) {
    out << to_string(*x.driver_state) << '\n';
    return;
  }
  out << to_string(x.state) << ", " << format_count(x.executors, "executor")
      << ", " << format_cores(x.cores);
  if (is_without_limit(x.cores_wanted))
    out << ", wants all cores that it can get";
  else if (x.cores_wanted > 0)
    out << ", wants " << format_cores(x.cores_wanted) << " more";
  out << '\n';
}

/// What the driver says of its tasks.
void print_tasks(std::ostream& out, const TasksExplanation& x) {
  out << "\nTasks, as its driver said "
      << format_duration(Duration{x.reported_ms_ago}) << " ago: ";
  auto executors = format_count(x.executors, "executor");
  if (x.jobs == 0)
    out << "no job runs; it has "
        << (x.executors == 0 ? "no executors" : executors) << '\n';
  else
    out << format_count(x.jobs, "job") << (x.jobs == 1 ? " runs " : " run ")
        << format_count(x.running, "task") << " on " << executors << '\n';
  for (const auto& reason : x.reasons)
    out << "- " << printable(reason) << '\n';
}

/// Who holds what is missing.
void print_holders(std::ostream& out, const ExplanationResponse& x) {
  if (x.holders.empty())
    return;
  Rows rows;
  for (const auto& y : x.holders)
    rows.push_back({y.driver_id ? to_string(*y.driver_id)
                                : to_string(y.app_id.value_or(AppId{})),
                    y.name, y.user, std::to_string(y.held.cores),
                    format_memory(y.held.memory_mb), time_text(y.since_ms)});
  auto all = static_cast<std::int64_t>(x.holders.size()) == x.holders_in_all;
  out << "\nHolders of what is missing";
  if (!all)
    out << " (the largest of " << x.holders_in_all << ")";
  out << '\n';
  print_table(out, {"ID", "NAME", "USER", "CORES", "MEMORY", "SINCE"}, rows);
  out << "To free it, their user or an operator ends one with 'stoker kill "
         "ID'. Programs take less with spark.cores.max or dynamic allocation. "
      << (x.place ? "'default_cores' of the tenants file"
                  : "spark.deploy.defaultCores of the master")
      << " is for those that do not say it.\n";
}

void print_planned_starts(std::ostream& out, const PlanResponse& x) {
  Rows rows;
  for (const auto& start : x.starts)
    rows.push_back({to_string(start.app_id), start.name,
                    to_string(start.worker_id), std::to_string(start.executors),
                    std::to_string(start.cores),
                    format_memory(start.memory_mb)});
  out << "Executors that would be started\n";
  print_table(out,
              {"APPLICATION", "NAME", "WORKER", "EXECUTORS", "CORES", "MEMORY"},
              rows);
}

void print_planned_drivers(std::ostream& out, const PlanResponse& x) {
  Rows rows;
  for (const auto& y : x.drivers)
    rows.push_back({to_string(y.driver_id), y.name, to_string(y.state),
                    y.worker_id ? to_string(*y.worker_id) : "-",
                    std::to_string(y.cores), format_memory(y.memory_mb),
                    std::to_string(y.executors_reserved), y.reason});
  out << "\nDrivers that would be started, come or end\n";
  print_table(out,
              {"DRIVER", "NAME", "STATE", "WORKER", "CORES", "MEMORY",
               "RESERVED", "WHY"},
              rows);
}

void print_planned_applications(std::ostream& out, const PlanResponse& x) {
  Rows rows;
  for (const auto& y : x.outcomes)
    rows.push_back(
        {to_string(y.app_id), y.name, std::to_string(y.executors_lost),
         std::to_string(y.executors_started),
         // One that was refused waits for nothing.
         y.app_id.value.empty() ? "-" : cores_wanted_text(y.cores_wanted),
         y.reason});
  out << "\nApplications that would be affected\n";
  print_table(out,
              {"APPLICATION", "NAME", "LOST", "STARTED", "CORES WANTED", "WHY"},
              rows);
}

} // namespace

std::string cores_wanted_text(int cores) {
  return is_without_limit(cores) ? "all" : std::to_string(cores);
}

void print_explanation(std::ostream& out, const ExplanationResponse& x) {
  print_subject(out, x);
  for (const auto& reason : x.reasons)
    out << "- " << printable(reason) << '\n';
  if (!x.remedy.empty())
    out << (x.executors == 0 ? "Starts when " : "Another executor starts when ")
        << printable(x.remedy) << ".\n";
  print_estimate(out, x);
  if (x.tasks)
    print_tasks(out, *x.tasks);
  print_holders(out, x);
  if (x.ahead.empty())
    return;
  Rows rows;
  for (const auto& other : x.ahead)
    rows.push_back({id_text(other), other.name, other.user,
                    std::to_string(other.cores),
                    cores_wanted_text(other.cores_wanted)});
  out << "\nAhead of it: " << format_count(x.position - 1, "application")
      << '\n';
  print_table(out, {"ID", "NAME", "USER", "CORES", "CORES WANTED"}, rows);
}

void print_plan(std::ostream& out, const PlanResponse& x) {
  print_planned_starts(out, x);
  print_planned_drivers(out, x);
  print_planned_applications(out, x);
  out << "\nAfterwards " << x.free.cores << " of "
      << format_cores(x.total.cores) << " and "
      << format_memory_beside(x.free.memory_mb, x.total.memory_mb) << " of "
      << format_memory_beside(x.total.memory_mb, x.free.memory_mb)
      << " would be free.\n"
      << "Nothing was changed.\n";
}

} // namespace stoker
