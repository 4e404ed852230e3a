#include "tools/stoker/jobs_snapshot_text.hpp"

#include <string>
#include <vector>

#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

/// "0, 2", or "-".
template <class T>
std::string snapshot_numbers_text(const std::vector<T>& xs) {
  std::string result;
  for (auto x : xs)
    result += (result.empty() ? "" : ", ") + to_string(x);
  return result.empty() ? "-" : result;
}

template <class T, class Row>
void print_snapshot_rows(std::ostream& out, const char* title,
                         const std::vector<std::string>& heading,
                         const std::vector<T>& xs, Row row) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(xs.size());
  for (const auto& x : xs)
    rows.push_back(row(x));
  out << title << '\n';
  print_table(out, heading, rows);
}

std::vector<std::string> job_row(const JobSnapshot& x) {
  return {to_string(x.id), name_cell(x.name), name_cell(x.pool),
          snapshot_numbers_text(x.results_missing)};
}

std::vector<std::string> stage_row(const StageSnapshot& x) {
  return {to_string(x.id),
          name_cell(x.name),
          to_string(x.phase),
          std::to_string(x.tasks),
          std::to_string(x.done),
          std::to_string(x.running),
          std::to_string(x.pending),
          std::to_string(x.failures),
          snapshot_numbers_text(x.jobs)};
}

std::vector<std::string> executor_row(const JobExecutorSnapshot& x) {
  return {std::to_string(x.exec_id),
          to_string(x.worker_id),
          x.host,
          !x.connected ? "disconnected"
          : x.leaving  ? "leaving"
                       : "connected",
          std::to_string(x.cores_used) + " of " + std::to_string(x.cores),
          std::to_string(x.running),
          std::to_string(x.waiting)};
}

} // namespace

void print_jobs_snapshot(std::ostream& out, const JobsSnapshot& x) {
  print_snapshot_rows(out, "Jobs",
                      {"ID", "NAME", "POOL", "RESULTS MISSING OF STAGES"},
                      x.jobs, job_row);
  out << '\n';
  print_snapshot_rows(out, "Stages",
                      {"ID", "NAME", "PHASE", "TASKS", "DONE", "RUNNING",
                       "PENDING", "MOST FAILURES", "JOBS"},
                      x.stages, stage_row);
  out << '\n';
  print_snapshot_rows(out, "Executors",
                      {"ID", "WORKER", "HOST", "CONNECTION", "CORES USED",
                       "RUNNING", "SENT AHEAD"},
                      x.executors, executor_row);
}

} // namespace stoker
