#include "pages/jobs.hpp"

#include <algorithm>
#include <string>

#include "scheduling/common/format_use.hpp"

namespace stoker::pages {

namespace {

void say_what_is_missing(Table& in, int left_out) {
  if (left_out > 0)
    in.title += " (" + std::to_string(left_out)
                + " more that its driver no longer tells of)";
}

Cell job_link(const ApplicationJobs& of, const JobInfo& x) {
  auto result = link_to(to_string(x.id), href_of(of.app_id, x.id));
  result.is_number = true;
  return result;
}

bool has(const StageInfo& stage, const std::optional<JobId>& job) {
  return !job
         || std::find(stage.jobs.begin(), stage.jobs.end(), *job)
                != stage.jobs.end();
}

} // namespace

std::string href_of(const AppId& app_id, JobId id) {
  return "/jobs/" + url_encoded(app_id.value) + '/' + to_string(id);
}

Table jobs_table(const ApplicationJobs& x, std::int64_t now_ms) {
  Table result;
  result.title = "Jobs";
  say_what_is_missing(result, x.jobs_left_out);
  result.head
      = {"Job",           "Name",   "State",   "Stages done", "Tasks done",
         "Tasks running", "Failed", "Elapsed", "Message"};
  result.empty = "Its driver has told of none.";
  for (const auto& job : x.jobs)
    result.rows.push_back(
        {"job-" + to_string(job.id),
         {job_link(x, job), text(job.name), state(to_string(job.status)),
          use(job.stages_complete, job.stages), use(job.done, job.tasks),
          number(job.running), number(job.failed),
          elapsed(job.submitted_ms, job.ended_ms, now_ms), text(job.message)}});
  return result;
}

Table all_jobs_table(const JobsResponse& x, std::int64_t now_ms) {
  Table result;
  result.head = {"Application", "Job",         "Name",       "User",
                 "State",       "Stages done", "Tasks done", "Tasks running",
                 "Failed",      "Elapsed",     "Message"};
  result.empty = "No driver has told of a job.";
  if (x.left_out > 0)
    result.title = "The first ones; " + std::to_string(x.left_out) + " more";
  for (auto ended : {false, true})
    for (const auto& app : x.applications)
      for (const auto& job : app.jobs)
        if (job.ended_ms.has_value() == ended)
          result.rows.push_back(
              {app.app_id.value + ' ' + to_string(job.id),
               {link_to(app.app_id), job_link(app, job), text(job.name),
                text(app.user), state(to_string(job.status)),
                use(job.stages_complete, job.stages), use(job.done, job.tasks),
                number(job.running), number(job.failed),
                elapsed(job.submitted_ms, job.ended_ms, now_ms),
                text(job.message)}});
  return result;
}

std::vector<Fact> facts_of(const ApplicationJobs& of, const JobInfo& x,
                           std::int64_t now_ms) {
  std::vector<Fact> result{
      {"Application", link_to(of.app_id)},
      {"Name", text(x.name)},
      {"User", text(of.user)},
      {"State", state(to_string(x.status))},
      {"Submitted", time(x.submitted_ms)},
      {"Elapsed", elapsed(x.submitted_ms, x.ended_ms, now_ms)},
      {"Stages done", use(x.stages_complete, x.stages)},
      {"Tasks done", use(x.done, x.tasks)},
      {"Tasks running", text(std::to_string(x.running))},
      {"Attempts that failed", text(std::to_string(x.failed))}};
  if (!x.pool.empty())
    result.push_back({"Pool", text(x.pool)});
  if (!x.message.empty())
    result.push_back({"Message", text(x.message)});
  return result;
}

Table stages_table(const ApplicationJobs& x, std::optional<JobId> of,
                   std::int64_t now_ms) {
  Table result;
  result.title = "Stages";
  say_what_is_missing(result, x.stages_left_out);
  result.head = {"Stage",  "Name",    "State", "Tasks done", "Tasks running",
                 "Failed", "Elapsed", "CPU",   "Waits for"};
  result.empty = "Its driver has told of none.";
  auto stages = x.stages;
  // In the order in which they were made, whatever goes on.
  std::sort(stages.begin(), stages.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  for (const auto& stage : stages) {
    if (!has(stage, of))
      continue;
    result.rows.push_back(
        {"stage-" + to_string(stage.id),
         {number(std::int64_t{stage.id.value}), text(stage.name),
          state(to_string(stage.status)), use(stage.done, stage.tasks),
          number(std::int64_t{stage.running}),
          number(std::int64_t{stage.failed}),
          stage.started_ms ? elapsed(*stage.started_ms, stage.ended_ms, now_ms)
                           : text("-"),
          at_right(format_core_time(stage.use.cpu_ms)), text(stage.waits)}});
  }
  return result;
}

} // namespace stoker::pages
