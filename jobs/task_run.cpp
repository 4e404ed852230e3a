#include "jobs/task_run.hpp"

#include <string>

namespace stoker::jobs {

Result<const SourceInput*> TaskRun::source(std::uint32_t node,
                                           int partition) const {
  for (const auto& x : inputs_.sources)
    if (x.node == node && x.partition == partition)
      return &x;
  return invalid("the task was not told what partition "
                 + std::to_string(partition) + " of its source is");
}

Result<const InputSplit*> TaskRun::split(const SourceInput& x) const {
  const auto& splits = task_.splits();
  auto place = static_cast<std::size_t>(x.split);
  if (x.split < 0 || place >= splits.size())
    return invalid("the task was not told which file it reads");
  return &splits[place];
}

Status TaskRun::read(int dependency, int partition,
                     const std::function<Status(std::string_view)>& take) {
  return task_.read(static_cast<std::size_t>(dependency), partition,
                    [&](std::string_view bytes) -> Status {
                      if (auto status = go_on(); !status)
                        return status;
                      return take(bytes);
                    });
}

Status TaskRun::go_on() const {
  if (ending())
    return Error{Errc::failed, "the task was told to end"};
  return {};
}

} // namespace stoker::jobs
