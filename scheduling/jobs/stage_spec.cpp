#include "scheduling/jobs/stage_spec.hpp"

#include <map>

#include "scheduling/common/limits.hpp"

namespace stoker {

namespace {

using StagesById = std::map<StageId, const StageSpec*>;

Error wrong(const StageSpec& stage, const std::string& why) {
  return Error{Errc::invalid_request, "stage '" + stage.name + "' " + why};
}

Status validate_stage(const StageSpec& x) {
  if (x.tasks < 1)
    return wrong(x, "has no tasks");
  if (x.tasks > tasks_max)
    return wrong(x, "has more than " + std::to_string(tasks_max) + " tasks");
  if (x.cores < 1 || x.cores > cores_max)
    return wrong(x, "wants " + std::to_string(x.cores) + " cores for a task");
  if (x.max_failures < 1)
    return wrong(x, "has max_failures below 1");
  if (x.max_failures > max_failures_max)
    return wrong(x,
                 "has max_failures above " + std::to_string(max_failures_max));
  if (x.time_limit && x.time_limit->count() <= 0)
    return wrong(x, "has a time limit that is not above 0");
  if (!x.places.empty() && x.places.size() != static_cast<std::size_t>(x.tasks))
    return wrong(x, "has places for another number of tasks");
  return {};
}

Status validate_reads(const StageSpec& x, const StagesById& stages) {
  for (const auto& read : x.reads) {
    auto found = stages.find(read.stage);
    if (found == stages.end())
      return wrong(x, "reads an unknown stage");
    const auto& from = *found->second;
    if (from.is_result)
      return wrong(x, "reads '" + from.name
                          + "', whose results go to the job's owner");
    if (read.kind == DependencyKind::narrow && from.tasks != x.tasks)
      return wrong(x, "has " + std::to_string(x.tasks)
                          + " tasks, and reads task by task from '" + from.name
                          + "', which has " + std::to_string(from.tasks));
  }
  return {};
}

/// Follows what is read, and finds a stage that reads itself in the end.
class CircleSearch {
public:
  explicit CircleSearch(const StagesById& stages) : stages_(stages) {
  }

  /// The names along a circle; empty: there is none.
  std::string find() {
    for (const auto& [id, stage] : stages_)
      if (auto circle = from(*stage); !circle.empty())
        return circle;
    return {};
  }

private:
  enum class Mark { unseen, on_path, done };

  struct Visit {
    const StageSpec* stage;
    std::size_t next_read = 0;
  };

  /// Without recursion: a chain of stages may be long.
  std::string from(const StageSpec& first) {
    if (marks_[first.id] == Mark::done)
      return {};
    std::vector<Visit> path{{&first}};
    marks_[first.id] = Mark::on_path;
    while (!path.empty()) {
      auto& visit = path.back();
      if (visit.next_read == visit.stage->reads.size()) {
        marks_[visit.stage->id] = Mark::done;
        path.pop_back();
        continue;
      }
      const auto& next
          = *stages_.at(visit.stage->reads[visit.next_read++].stage);
      if (marks_[next.id] == Mark::on_path)
        return names(path, next);
      if (marks_[next.id] == Mark::unseen) {
        marks_[next.id] = Mark::on_path;
        path.push_back({&next});
      }
    }
    return {};
  }

  static std::string names(const std::vector<Visit>& path,
                           const StageSpec& closing) {
    std::string result;
    auto inside = false;
    for (const auto& visit : path) {
      inside = inside || visit.stage == &closing;
      if (inside)
        result += "'" + visit.stage->name + "' reads ";
    }
    return result + "'" + closing.name + "'";
  }

  const StagesById& stages_;
  std::map<StageId, Mark> marks_;
};

} // namespace

const StageSpec* find_stage(const JobSpec& job, StageId id) {
  for (const auto& stage : job.stages)
    if (stage.id == id)
      return &stage;
  return nullptr;
}

Status validate(const JobSpec& job) {
  if (job.stages.empty())
    return Error{Errc::invalid_request, "a job needs at least one stage"};
  if (job.stages.size() > stages_max)
    return Error{Errc::invalid_request,
                 "a job has at most " + std::to_string(stages_max) + " stages"};
  StagesById stages;
  auto has_result = false;
  for (const auto& stage : job.stages) {
    if (auto valid = validate_stage(stage); !valid)
      return valid;
    if (!stages.emplace(stage.id, &stage).second)
      return wrong(stage, "has the number of another stage");
    has_result = has_result || stage.is_result;
  }
  for (const auto& stage : job.stages)
    if (auto valid = validate_reads(stage, stages); !valid)
      return valid;
  if (auto circle = CircleSearch{stages}.find(); !circle.empty())
    return Error{Errc::invalid_request, "the stages form a circle: " + circle};
  if (!has_result)
    return Error{Errc::invalid_request, "a job needs a stage with results"};
  return {};
}

} // namespace stoker
