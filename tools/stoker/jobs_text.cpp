#include "tools/stoker/jobs_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "scheduling/common/format.hpp"
#include "scheduling/common/format_use.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using JobRows = std::vector<std::vector<std::string>>;

/// Rows of all applications.
/// @param get Gives those of one.
template <class Get, class Make>
JobRows rows_of_all(const JobsResponse& x, Get get, Make make) {
  JobRows result;
  for (auto ended : {false, true})
    for (const auto& app : x.applications)
      for (const auto& row : get(app))
        if (row.ended_ms.has_value() == ended)
          result.push_back(make(app, row));
  return result;
}

/// "3 of 10"
std::string done_text(std::int64_t done, std::int64_t of) {
  return std::to_string(done) + " of " + std::to_string(of);
}

std::string jobs_text(const std::vector<JobId>& jobs) {
  constexpr std::size_t shown_max = 3;
  std::string result;
  for (std::size_t i = 0; i < std::min(jobs.size(), shown_max); ++i)
    result += (i == 0 ? "" : ",") + to_string(jobs[i]);
  return jobs.size() > shown_max ? result + ",..." : result;
}

std::string text_or_dash(const std::string& x) {
  return x.empty() ? "-" : x;
}

/// @param left_out What drivers have left out of their reports.
void print_rows(std::ostream& out, const char* title,
                const std::vector<std::string>& heading, const JobRows& rows,
                std::int64_t left_out_here, std::int64_t left_out_there) {
  out << title << '\n';
  print_table(out, heading, rows);
  if (left_out_here > 0)
    out << "  and " << left_out_here << " more\n";
  if (left_out_there > 0)
    out << "  and " << left_out_there << " that drivers no longer tell of\n";
}

} // namespace

void print_jobs(std::ostream& out, const JobsResponse& x, std::int64_t now_ms) {
  auto rows = rows_of_all(
      x, [](const ApplicationJobs& app) -> const auto& { return app.jobs; },
      [&](const ApplicationJobs& app, const JobInfo& job) {
        return std::vector<std::string>{
            to_string(app.app_id),
            to_string(job.id),
            name_cell(job.name),
            name_cell(app.user),
            to_string(job.status),
            done_text(job.stages_complete, job.stages),
            done_text(job.done, job.tasks),
            std::to_string(job.running),
            std::to_string(job.failed),
            elapsed_text(job.submitted_ms, job.ended_ms, now_ms),
            text_or_dash(job.message)};
      });
  std::int64_t left_out = 0;
  for (const auto& app : x.applications)
    left_out += app.jobs_left_out;
  print_rows(out, "Jobs",
             {"APPLICATION", "JOB", "NAME", "USER", "STATE", "STAGES DONE",
              "TASKS DONE", "RUNNING", "FAILED", "ELAPSED", "MESSAGE"},
             rows, x.left_out, left_out);
}

void print_stages(std::ostream& out, const JobsResponse& x,
                  std::int64_t now_ms) {
  auto rows = rows_of_all(
      x, [](const ApplicationJobs& app) -> const auto& { return app.stages; },
      [&](const ApplicationJobs& app, const StageInfo& stage) {
        return std::vector<std::string>{
            to_string(app.app_id),
            to_string(stage.id),
            name_cell(stage.name),
            jobs_text(stage.jobs),
            to_string(stage.status),
            done_text(stage.done, stage.tasks),
            std::to_string(stage.running),
            std::to_string(stage.failed),
            stage.started_ms
                ? elapsed_text(*stage.started_ms, stage.ended_ms, now_ms)
                : "-",
            format_core_time(stage.use.cpu_ms),
            text_or_dash(stage.waits)};
      });
  std::int64_t left_out = 0;
  for (const auto& app : x.applications)
    left_out += app.stages_left_out;
  print_rows(out, "Stages",
             {"APPLICATION", "STAGE", "NAME", "JOB", "STATE", "TASKS DONE",
              "RUNNING", "FAILED", "ELAPSED", "CPU", "WAITS"},
             rows, x.left_out, left_out);
}

} // namespace stoker
