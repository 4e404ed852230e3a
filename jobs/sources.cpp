#include "jobs/sources.hpp"

#include <utility>

namespace stoker::jobs {

Status ReadLines::run(TaskRun& task, int partition,
                      Sink<std::string_view>& to) const {
  auto source = task.source(place_, partition);
  if (!source)
    return std::move(source).error();
  auto split = task.split(**source);
  if (!split)
    return std::move(split).error();
  return read_lines(**split, task, to);
}

Status ReadRange::run(TaskRun& task, int partition,
                      Sink<std::int64_t>& to) const {
  auto source = task.source(place_, partition);
  if (!source)
    return std::move(source).error();
  auto share = from_bytes<RangeShare>((*source)->data);
  if (!share)
    return invalid("the driver's range is damaged");
  for (auto i = share->begin; i < share->end; ++i) {
    if (task.ending())
      return task.go_on();
    auto x = i;
    if (!to.push(x))
      return {};
  }
  return {};
}

} // namespace stoker::jobs
