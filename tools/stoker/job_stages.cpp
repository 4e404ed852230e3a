#include "tools/stoker/job_stages.hpp"

#include <algorithm>
#include <cassert>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

using Order = std::vector<std::size_t>;

/// Puts each stage behind all that it reads, or finds a circle.
class StageSorter {
public:
  explicit StageSorter(const std::vector<JobStage>& stages)
      : stages_(stages), marks_(stages.size(), Mark::unseen) {
  }

  std::optional<StageProblem> sort() {
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (marks_[i] == Mark::unseen)
        if (auto circle = sort_from(i))
          return circle;
    return std::nullopt;
  }

  Order order;

private:
  enum class Mark { unseen, on_path, sorted };

  struct Visit {
    std::size_t stage;
    std::size_t next_read = 0;
  };

  /// Without recursion: a chain of stages may be long.
  std::optional<StageProblem> sort_from(std::size_t first) {
    std::vector<Visit> path{{first}};
    marks_[first] = Mark::on_path;
    while (!path.empty()) {
      auto& visit = path.back();
      const auto& from = stages_[visit.stage].from;
      if (visit.next_read == from.size()) {
        marks_[visit.stage] = Mark::sorted;
        order.push_back(visit.stage);
        path.pop_back();
        continue;
      }
      auto next = from[visit.next_read++];
      if (marks_[next] == Mark::on_path)
        return circle_in(path, next);
      if (marks_[next] == Mark::unseen) {
        marks_[next] = Mark::on_path;
        path.push_back({next});
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] StageProblem circle_in(const std::vector<Visit>& path,
                                       std::size_t closing) const {
    if (path.back().stage == closing)
      return {closing, "reads itself"};
    std::string text = "reads itself in a circle: ";
    auto is_inside = false;
    for (const auto& visit : path) {
      is_inside = is_inside || visit.stage == closing;
      if (is_inside)
        text += "'" + stages_[visit.stage].name + "' reads ";
    }
    return {closing, text + "'" + stages_[closing].name + "'"};
  }

  const std::vector<JobStage>& stages_;
  std::vector<Mark> marks_;
};

/// What a stage's readers make of the number of tasks that they have.
struct ReadTasks {
  std::optional<int> count;
  std::string why;
};

ReadTasks tasks_for_reader(const JobStage& parent,
                           const std::optional<int>& tasks) {
  auto name = "'" + parent.name + "'";
  if (parent.shuffle)
    return {parent.shuffle->partitions,
            name + " has "
                + format_count(parent.shuffle->partitions, "partition")};
  if (!tasks)
    return {};
  return {tasks, name + " has " + format_count(*tasks, "task")
                     + " and no shuffle, so it is read task by task"};
}

std::optional<StageProblem> count_of_reader(const std::vector<JobStage>& stages,
                                            std::size_t i, TaskCounts& counts) {
  ReadTasks first;
  for (auto parent : stages[i].from) {
    auto next = tasks_for_reader(stages[parent], counts[parent]);
    if (!next.count)
      continue;
    if (first.count && *first.count != *next.count)
      return StageProblem{i, "cannot have one number of tasks: " + first.why
                                 + ", but " + next.why};
    if (!first.count)
      first = std::move(next);
  }
  counts[i] = first.count;
  return std::nullopt;
}

std::optional<StageProblem> problem_of(const JobStage& stage, std::size_t i,
                                       bool is_read) {
  auto has_input = !std::holds_alternative<std::monostate>(stage.input);
  if (has_input && !stage.from.empty())
    return StageProblem{i, "has both 'input' and 'from', and may have one"};
  if (!has_input && stage.from.empty())
    return StageProblem{i, "needs 'input' or 'from': there is nothing that its "
                           "tasks could read"};
  if (is_read && stage.output)
    return StageProblem{i, "has 'output', but another stage reads it: only a "
                           "stage that nobody reads writes a directory"};
  if (!is_read && stage.shuffle)
    return StageProblem{i, "has 'shuffle', but no stage reads it by 'from'"};
  return std::nullopt;
}

} // namespace

std::vector<bool> read_stages(const std::vector<JobStage>& stages) {
  std::vector<bool> result(stages.size());
  for (const auto& stage : stages)
    for (auto parent : stage.from)
      result[parent] = true;
  return result;
}

TaskCounts input_tasks(const std::vector<JobStage>& stages) {
  TaskCounts result;
  for (const auto& stage : stages) {
    std::optional<int> count;
    if (const auto* lines = std::get_if<LinesInput>(&stage.input))
      count = lines->tasks;
    else if (const auto* range = std::get_if<RangeInput>(&stage.input))
      count = range->tasks;
    result.push_back(count);
  }
  return result;
}

std::optional<StageProblem> complete_tasks(const std::vector<JobStage>& stages,
                                           TaskCounts& counts) {
  assert(counts.size() == stages.size());
  StageSorter sorter{stages};
  if (auto circle = sorter.sort())
    return circle;
  for (auto i : sorter.order)
    if (!stages[i].from.empty())
      if (auto problem = count_of_reader(stages, i, counts))
        return problem;
  return std::nullopt;
}

std::optional<StageProblem>
find_stage_problem(const std::vector<JobStage>& stages) {
  // A circle is told first: other problems follow from it.
  auto counts = input_tasks(stages);
  auto problem = StageSorter{stages}.sort();
  auto read = read_stages(stages);
  for (std::size_t i = 0; i < stages.size() && !problem; ++i)
    problem = problem_of(stages[i], i, read[i]);
  return problem ? problem : complete_tasks(stages, counts);
}

} // namespace stoker
