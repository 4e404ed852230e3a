#include "storage/task_replay.hpp"

#include <stdexcept>
#include <variant>
#include <vector>

#include "scheduling/jobs/render_jobs.hpp"

namespace stoker {

namespace {

/// A scheduler takes for granted that whoever submits has looked.
void require_submittable(const JobScheduler& scheduler,
                         const LoggedJobsStep& step) {
  const auto* x = std::get_if<JobSubmitted>(&step.event);
  if (x == nullptr)
    return;
  if (auto valid = may_submit(scheduler.state(), x->job); !valid)
    throw std::runtime_error{"step " + std::to_string(step.number)
                             + " submits a job that cannot be: "
                             + valid.error().message};
}

} // namespace

TaskReplay replay(TaskLogReader& log, const TaskReplayOptions& options) {
  TaskReplay result{0, std::nullopt, JobScheduler{log.config()}};
  JobsEffectLines lines;
  replay_detail::take_steps(
      log, options, result, [&](const LoggedJobsStep& step) {
        require_submittable(result.scheduler, step);
        std::vector<std::string> effects;
        for (const auto& x : result.scheduler.step(step.at, step.event))
          effects.emplace_back(lines.line(x));
        return effects;
      });
  return result;
}

TaskReplay replay_task_log(std::istream& in, const TaskReplayOptions& options) {
  TaskLogReader log{in};
  return replay(log, options);
}

Result<TaskReplay> replay_task_log_file(const std::string& path,
                                        const TaskReplayOptions& options) {
  return if_readable([&] {
    TaskLogReader log{message_log_files(path)};
    return replay(log, options);
  });
}

} // namespace stoker
