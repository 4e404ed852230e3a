#include "executor/stage_table.hpp"

#include <utility>

namespace stoker::executor {

StageTable::StageTable(ExecutorIdentity identity,
                       const ApplicationSecret& secret,
                       std::shared_ptr<BarrierTasks> barriers)
    : identity_(std::move(identity)), client_(identity_.app_id, secret),
      barriers_(std::move(barriers)) {
}

void StageTable::know(const DescribeStage& x) {
  auto stage = std::make_shared<const DescribeStage>(x);
  std::lock_guard guard{mutex_};
  stages_[x.stage] = std::move(stage);
}

void StageTable::know(const StageOutputs& x) {
  auto outputs = std::make_shared<const StageOutputs>(x);
  std::lock_guard guard{mutex_};
  outputs_[x.stage] = std::move(outputs);
}

void StageTable::forget(StageId stage) {
  std::lock_guard guard{mutex_};
  stages_.erase(stage);
  outputs_.erase(stage);
}

Result<std::shared_ptr<const DescribeStage>>
StageTable::find(const TaskAttempt& task) const {
  {
    std::lock_guard guard{mutex_};
    auto found = stages_.find(task.stage);
    if (found != stages_.end())
      return found->second;
  }
  return Error{Errc::not_found,
               "the stage of " + to_string(task) + " is not known here"};
}

Result<std::vector<LocatedOutput>>
StageTable::sources_of(const StageDependency& read, int task) const {
  std::shared_ptr<const StageOutputs> outputs;
  {
    std::lock_guard guard{mutex_};
    if (auto found = outputs_.find(read.stage); found != outputs_.end())
      outputs = found->second;
  }
  auto not_known = [&] {
    return Error{Errc::not_found, "it is not known here where stage "
                                      + to_string(read.stage) + " wrote"};
  };
  if (!outputs)
    return not_known();
  auto narrow = read.kind == DependencyKind::narrow;
  auto first = narrow ? static_cast<std::size_t>(task) : 0;
  auto end = narrow ? first + 1 : outputs->places.size();
  std::vector<LocatedOutput> result;
  result.reserve(end - first);
  for (auto i = first; i < end; ++i) {
    auto server = i < outputs->places.size() ? outputs->places[i].server : -1;
    if (server < 0
        || static_cast<std::size_t>(server) >= outputs->servers.size())
      return not_known();
    result.push_back({outputs->servers[static_cast<std::size_t>(server)],
                      {read.stage, static_cast<std::int32_t>(i),
                       outputs->places[i].attempt}});
  }
  return result;
}

OutputReader StageTable::open(std::vector<LocatedOutput> sources,
                              DependencyKind kind, int partition,
                              const std::stop_token& stop) const {
  return kind == DependencyKind::narrow
             ? client_.read_range(std::move(sources), {0, PartitionRange::all},
                                  stop)
             : client_.read_partition(std::move(sources),
                                      static_cast<std::uint32_t>(partition),
                                      stop);
}

} // namespace stoker::executor
