#include "pages/jobs.hpp"

#include <string>

#include "scheduling/common/format_use.hpp"

namespace stoker::pages {

namespace {

void say_what_is_missing(Table& in, int left_out) {
  if (left_out > 0)
    in.title += " (" + std::to_string(left_out)
                + " more that its driver no longer tells of)";
}

} // namespace

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
         {number(std::int64_t{job.id.value}), text(job.name),
          state(to_string(job.status)), use(job.stages_complete, job.stages),
          use(job.done, job.tasks), number(job.running), number(job.failed),
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
               {link_to(app.app_id), number(std::int64_t{job.id.value}),
                text(job.name), text(app.user), state(to_string(job.status)),
                use(job.stages_complete, job.stages), use(job.done, job.tasks),
                number(job.running), number(job.failed),
                elapsed(job.submitted_ms, job.ended_ms, now_ms),
                text(job.message)}});
  return result;
}

Table stages_table(const ApplicationJobs& x, std::int64_t now_ms) {
  Table result;
  result.title = "Stages";
  say_what_is_missing(result, x.stages_left_out);
  result.head = {"Stage",  "Name",    "State", "Tasks done", "Tasks running",
                 "Failed", "Elapsed", "CPU",   "Waits for"};
  result.empty = "Its driver has told of none.";
  for (const auto& stage : x.stages)
    result.rows.push_back(
        {"stage-" + to_string(stage.id),
         {number(std::int64_t{stage.id.value}), text(stage.name),
          state(to_string(stage.status)), use(stage.done, stage.tasks),
          number(std::int64_t{stage.running}),
          number(std::int64_t{stage.failed}),
          stage.started_ms ? elapsed(*stage.started_ms, stage.ended_ms, now_ms)
                           : text("-"),
          at_right(format_core_time(stage.use.cpu_ms)), text(stage.waits)}});
  return result;
}

} // namespace stoker::pages
