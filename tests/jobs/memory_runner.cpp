#include "tests/jobs/memory_runner.hpp"

#include <algorithm>

#include "jobs/stage_function.hpp"

namespace stoker::test {

Status MemoryTask::read(std::size_t dependency,
                        const std::function<Status(std::string_view)>& take) {
  return read(dependency, attempt.task, take);
}

Status MemoryTask::read(std::size_t dependency, int partition,
                        const std::function<Status(std::string_view)>& take) {
  for (const auto& task : *reads.at(dependency)) {
    auto found = task.find(partition);
    if (found == task.end())
      continue;
    std::string_view rest = found->second;
    while (!rest.empty()) {
      auto size = std::min(piece, rest.size());
      if (auto taken = take(rest.substr(0, size)); !taken)
        return taken;
      rest.remove_prefix(size);
    }
  }
  return {};
}

Status MemoryTask::write(int partition, std::string_view bytes) {
  outputs[partition] += bytes;
  return {};
}

std::unique_ptr<jobs::StageLease> MemoryRunner::lease_stage() {
  return std::make_unique<jobs::StageLease>(
      StageId{next_stage_++}, [runner = weak_from_this()](StageId stage) {
        if (auto x = runner.lock())
          x->released.push_back(stage);
      });
}

Result<MemoryTask::Outputs> MemoryRunner::run_task(const jobs::PlannedJob& job,
                                                   const StageSpec& stage,
                                                   int task) {
  ++tasks_run;
  MemoryTask run;
  run.attempt = {stage.id, task, 0};
  run.argument_bytes = job.describe(stage.id).function->argument;
  run.launch = job.describe(run.attempt);
  run.memory = task_memory;
  run.scratch = scratch;
  for (const auto& read : stage.reads)
    run.reads.push_back(&outputs_.at(read.stage));
  if (auto done = jobs::run_stage(run); !done)
    return std::move(done).error();
  return std::move(run.outputs);
}

Status MemoryRunner::run(const jobs::Node& target, const jobs::Action& action,
                         const TakeResult& take) {
  auto planned = jobs::plan_job(target, action, JobId{jobs_run++},
                                StageId{next_stage_++}, {});
  if (!planned)
    return std::move(planned).error();
  const auto& job = *planned;
  if (auto valid = validate(job->job()); !valid)
    return valid;
  // Stages read those with smaller numbers.
  for (const auto& stage : job->job().stages) {
    if (outputs_.contains(stage.id))
      continue;
    StageOutput output;
    for (auto task = 0; task < stage.tasks; ++task) {
      auto written = run_task(*job, stage, task);
      if (!written)
        return std::move(written).error();
      output.push_back(*std::move(written));
    }
    outputs_.emplace(stage.id, std::move(output));
  }
  auto results = outputs_.extract(job->job().stages.back().id);
  for (std::size_t task = 0; task < results.mapped().size(); ++task)
    if (auto taken = take(task, results.mapped()[task][0]); !taken)
      return taken;
  return {};
}

} // namespace stoker::test
