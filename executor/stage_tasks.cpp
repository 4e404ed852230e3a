#include "executor/stage_tasks.hpp"

#include <cerrno>
#include <utility>

#include "executor/chained_input.hpp"
#include "executor/fetched_input.hpp"
#include "executor/file_input.hpp"
#include "executor/line_router.hpp"
#include "executor/part_file.hpp"
#include "executor/partition_output.hpp"
#include "executor/result_output.hpp"
#include "messages/shipped_program.hpp"
#include "messages/task_environment.hpp"

namespace stoker::executor {

namespace {

/// As a shell reports it; nothing: the program is not to blame.
std::optional<int> exit_status_of(const TaskOutcome& x) {
  if (const auto* exited = std::get_if<Exited>(&x))
    return exited->code;
  if (const auto* signalled = std::get_if<Signalled>(&x))
    return 128 + signalled->signal;
  const auto* missing = std::get_if<CouldNotStart>(&x);
  if (missing == nullptr || missing->in_directory)
    return std::nullopt;
  return missing->error == ENOENT || missing->error == ENOTDIR ? 127 : 126;
}

} // namespace

struct StageTasks::Begun {
  std::shared_ptr<ResultOutput> result;
  std::shared_ptr<PartFile> file;

  /// Set by the thread that reads, before the task ends for it.
  std::mutex mutex;
  std::optional<FetchFailure> failure;
};

// -- before -------------------------------------------------------------------

Result<TaskProgram>
StageTasks::prepare(const std::shared_ptr<const DescribeStage>& stage,
                    const LaunchTask& task) {
  TaskProgram result;
  const auto& identity = stages_->executor();
  const auto& command = stage->command;
  result.arguments = words_in(command, identity.work_directory);
  result.environment = command.environment;
  if (auto* barriers = stages_->barriers(); barriers && stage->is_barrier)
    result.environment.merge(barriers->environment(task.id));
  result.environment.merge(std::map{identity.environment});
  if (stage->is_barrier)
    if (auto opened = open_barrier(task.id, result.environment); !opened)
      return std::move(opened).error();
  result.environment[task_environment::stage] = stage->name;
  result.environment[task_environment::task] = std::to_string(task.id.task);
  result.environment[task_environment::attempt]
      = std::to_string(task.id.attempt);
  result.working_directory = command.working_directory.empty()
                                 ? identity.work_directory
                                 : command.working_directory;
  result.working_directory_required = command.working_directory_required;
  if (stage->output == TaskOutputKind::executor) {
    result.inherits_output = true;
    result.environment[task_environment::index] = std::to_string(task.id.task);
    result.environment[task_environment::count] = std::to_string(stage->tasks);
  }
  auto begun = std::make_shared<Begun>();
  auto inputs = inputs_of(*stage, task, begun);
  if (!inputs) {
    close_barrier(task.id);
    return std::move(inputs).error();
  }
  result.input = chain(*std::move(inputs));
  if (!result.inherits_output)
    result.open_output = [this, stage, id = task.id, begun] {
      return output_of(*stage, id, *begun);
    };
  std::lock_guard guard{mutex_};
  begun_[task.id] = std::move(begun);
  return result;
}

Status
StageTasks::open_barrier(const TaskAttempt& id,
                         std::map<std::string, std::string>& environment) {
  auto* port = stages_->barriers();
  if (port == nullptr)
    return {};
  std::lock_guard guard{mutex_};
  if (!barrier_)
    barrier_ = std::make_unique<BarrierSocket>(
        *port, stages_->executor().work_directory);
  auto path = barrier_->open(id);
  if (!path)
    return std::move(path).error();
  environment[task_environment::barrier_socket] = *std::move(path);
  return {};
}

void StageTasks::close_barrier(const TaskAttempt& id) {
  std::lock_guard guard{mutex_};
  if (barrier_)
    barrier_->close(id);
}

void StageTasks::close_barriers() {
  std::lock_guard guard{mutex_};
  barrier_.reset();
}

Result<StageTasks::Inputs>
StageTasks::inputs_of(const DescribeStage& stage, const LaunchTask& task,
                      const std::shared_ptr<Begun>& begun) const {
  Inputs result;
  if (!task.splits.empty()) {
    std::vector<FileSplit> splits;
    for (const auto& x : task.splits)
      splits.push_back({x.path, x.begin, x.end});
    result.push_back(std::make_unique<FileInput>(std::move(splits)));
  }
  if (!task.text.empty())
    result.push_back(std::make_unique<TextInput>(task.text));
  for (const auto& read : stage.reads) {
    auto sources = stages_->sources_of(read, task.id.task);
    if (!sources)
      return std::move(sources).error();
    auto open = [this, sources = *std::move(sources), kind = read.kind,
                 number = task.id.task](const std::stop_token& stop) {
      return stages_->open(sources, kind, number, stop);
    };
    auto failed = [begun](const FetchFailure& x) {
      std::lock_guard guard{begun->mutex};
      begun->failure = x;
    };
    result.push_back(
        std::make_unique<FetchedInput>(std::move(open), std::move(failed)));
  }
  return result;
}

Result<std::shared_ptr<OutputSink>>
StageTasks::output_of(const DescribeStage& stage, const TaskAttempt& id,
                      Begun& begun) const {
  const auto& identity = stages_->executor();
  const auto& directory = identity.outputs.directory;
  switch (stage.output) {
  case TaskOutputKind::result:
    begun.result = std::make_shared<ResultOutput>(
        directory, id, identity.exec_id, identity.work_directory);
    return std::shared_ptr<OutputSink>{begun.result};
  case TaskOutputKind::file: {
    auto file = PartFile::create(stage.directory, id.task, id);
    if (!file)
      return std::move(file).error();
    begun.file = *std::move(file);
    return std::shared_ptr<OutputSink>{begun.file};
  }
  case TaskOutputKind::output:
  case TaskOutputKind::executor:
    break;
  }
  auto partitions = PartitionOutput::open(directory, id, identity.exec_id,
                                          stage.partitions);
  if (!partitions)
    return std::move(partitions).error();
  Routing routing;
  routing.by = stage.partition_by == PartitionBy::key ? RouteBy::key
                                                      : RouteBy::round_robin;
  routing.partitions = stage.partitions;
  routing.first = id.task % stage.partitions;
  return std::shared_ptr<OutputSink>{
      std::make_shared<LineRouter>(routing, *std::move(partitions))};
}

// -- after --------------------------------------------------------------------

void StageTasks::drop(const TaskAttempt& id) {
  close_barrier(id);
  std::lock_guard guard{mutex_};
  begun_.erase(id);
}

TaskStatus StageTasks::failed(const TaskAttempt& id, const Error& why) {
  TaskStatus result;
  result.id = id;
  result.state = TaskState::FAILED;
  result.error = why.message;
  return result;
}

TaskStatus StageTasks::status_of(const TaskAttempt& id, const TaskEnd& end) {
  close_barrier(id);
  std::shared_ptr<Begun> begun;
  {
    std::lock_guard guard{mutex_};
    begun = std::move(begun_.extract(id).mapped());
  }
  TaskStatus result;
  result.id = id;
  result.run_ms = end.duration.count();
  result.bytes_read = static_cast<std::int64_t>(end.input_bytes);
  result.bytes_written = static_cast<std::int64_t>(end.output_bytes);
  result.cpu_ms = end.cpu_ms;
  result.peak_memory_mb = end.peak_memory_mb;
  if (succeeded(end)) {
    if (begun->result) {
      result.result = begun->result->small();
      result.result_is_stored = !result.result;
    }
    if (begun->file)
      begun->file->hand_over();
    return result;
  }
  result.error = to_string(end.outcome);
  result.exit_status = exit_status_of(end.outcome);
  result.state = std::holds_alternative<Killed>(end.outcome)
                     ? TaskState::KILLED
                     : TaskState::FAILED;
  result.last_lines = end.last_errors;
  if (const auto* output = std::get_if<OutputFailed>(&end.outcome))
    result.disk_full = output->error.code == Errc::full;
  std::lock_guard guard{begun->mutex};
  if (begun->failure && std::holds_alternative<InputFailed>(end.outcome))
    result.fetch_failed
        = FetchFailed{begun->failure->attempt, begun->failure->unreachable};
  return result;
}

} // namespace stoker::executor
