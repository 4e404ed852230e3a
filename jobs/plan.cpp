#include "jobs/plan.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

#include "jobs/barrier_rules.hpp"
#include "jobs/codec.hpp"

namespace stoker::jobs {

// -- one stage ----------------------------------------------------------------

/// Collects all nodes up to shuffles and sources into a program.
class StagePlanner {
public:
  StagePlanner(StageId id, const PlanSettings& settings) : settings_(settings) {
    plan_->spec_.id = plan_->description_.stage = id;
    plan_->spec_.cores = plan_->description_.cores = settings.cores;
    program_.memory_fraction = settings.memory_fraction;
  }

  /// @param terminal Its parent is the target.
  void plan(const Node& target, ProgramNode terminal) {
    terminal.parents = {place_of(target)};
    program_.nodes.push_back(std::move(terminal));
    plan_->spec_.tasks = target.partitions;
    plan_->spec_.is_barrier = has_barrier(target);
    plan_->spec_.max_failures = plan_->spec_.is_barrier
                                    ? settings_.stage_attempts
                                    : settings_.max_failures;
    auto& description = plan_->description_;
    description.tasks = plan_->spec_.tasks;
    description.is_barrier = plan_->spec_.is_barrier;
    description.name = plan_->spec_.name = name_;
    description.reads = plan_->spec_.reads;
    description.function
        = FunctionCall{stage_function_name, to_bytes(program_)};
  }

  [[nodiscard]] const std::vector<const Node*>& reads() const noexcept {
    return reads_;
  }

  std::shared_ptr<const StagePlan> writes(const Node& shuffled) {
    plan_->description_.output = TaskOutputKind::output;
    plan_->description_.partitions = shuffled.partitions;
    return plan_;
  }

  std::shared_ptr<const StagePlan> ends_with(const Action& action) {
    plan_->spec_.is_result = true;
    plan_->spec_.tasks = plan_->description_.tasks = action.partitions;
    plan_->first_partition_ = action.first_partition;
    plan_->spec_.name = plan_->description_.name = name_ + ", " + action.what;
    plan_->description_.output = action.output;
    plan_->description_.directory = action.directory;
    return plan_;
  }

private:
  static constexpr std::size_t name_length_max = 80;

  std::uint32_t place_of(const Node& x) {
    if (auto known = places_.find(&x); known != places_.end())
      return known->second;
    ProgramNode node{x.name, x.state, {}, -1};
    if (x.kind == NodeKind::shuffled) {
      node.dependency = dependency_on(x);
    } else {
      for (const auto& parent : x.parents)
        node.parents.push_back(place_of(*parent));
    }
    if (name_.size() < name_length_max)
      name_ += (name_.empty() ? "" : ", ") + x.what;
    plan_->parts_.push_back(
        {x.kind, node.parents, x.source, x.united, x.coalesced});
    program_.nodes.push_back(std::move(node));
    auto place = static_cast<std::uint32_t>(program_.nodes.size() - 1);
    places_.emplace(&x, place);
    return place;
  }

  std::int32_t dependency_on(const Node& x) {
    plan_->spec_.reads.push_back(
        {x.shuffle->lease->id(), DependencyKind::shuffle});
    reads_.push_back(&x);
    return static_cast<std::int32_t>(reads_.size() - 1);
  }

  const PlanSettings& settings_;
  const std::shared_ptr<StagePlan> plan_ = std::make_shared<StagePlan>();
  StageProgram program_;
  std::map<const Node*, std::uint32_t> places_;
  std::vector<const Node*> reads_;
  std::string name_;
};

/// Which partitions of sources a task needs: it follows the program from its end.
class StagePlan::Inputs {
public:
  Inputs(const StagePlan& plan, LaunchTask& task) : plan_(plan), task_(task) {
  }

  TaskInputs of(int partition) {
    inputs_.partition = partition;
    need(static_cast<std::uint32_t>(plan_.parts_.size() - 1), partition);
    return std::move(inputs_);
  }

private:
  void need(std::uint32_t node, int partition) {
    if (!seen_.emplace(node, partition).second)
      return;
    const auto& part = plan_.parts_[node];
    switch (part.kind) {
    case NodeKind::source:
      return add(node, partition, *part.source);
    case NodeKind::narrow:
      for (auto parent : part.parents)
        need(parent, partition);
      return;
    case NodeKind::united: {
      auto from = part.united.at(partition);
      return need(part.parents[from.parent], from.partition);
    }
    case NodeKind::coalesced:
      for (auto i = part.coalesced.begin(partition);
           i < part.coalesced.begin(partition + 1); ++i)
        need(part.parents.front(), i);
      return;
    case NodeKind::shuffled:
      return;
    }
  }

  void add(std::uint32_t node, int partition, const Source& source) {
    SourceInput input{node, partition, -1, {}};
    if (source.files) {
      input.split = static_cast<std::int32_t>(task_.splits.size());
      task_.splits.push_back(source.files->split(partition));
    } else {
      input.data = source.data(partition);
    }
    inputs_.sources.push_back(std::move(input));
  }

  const StagePlan& plan_;
  LaunchTask& task_;
  TaskInputs inputs_;
  std::set<std::pair<std::uint32_t, int>> seen_;
};

LaunchTask StagePlan::describe(const TaskAttempt& task) const {
  LaunchTask result;
  result.id = task;
  result.text
      = to_bytes(Inputs{*this, result}.of(first_partition_ + task.task));
  return result;
}

// -- a job --------------------------------------------------------------------

PlannedJob::PlannedJob(JobSpec job,
                       std::vector<std::shared_ptr<const StagePlan>> stages)
    : job_(std::move(job)), stages_(std::move(stages)) {
}

const StagePlan& PlannedJob::plan(StageId stage) const {
  auto found = std::lower_bound(
      stages_.begin(), stages_.end(), stage,
      [](const auto& x, StageId id) { return x->spec().id < id; });
  assert(found != stages_.end() && (*found)->spec().id == stage);
  return **found;
}

DescribeStage PlannedJob::describe(StageId stage) const {
  return plan(stage).description();
}

LaunchTask PlannedJob::describe(const TaskAttempt& task) const {
  return plan(task.stage).describe(task);
}

namespace {

/// The stage before a shuffle.
const Shuffle& planned(const Node& shuffled, const PlanSettings& settings) {
  const auto& shuffle = *shuffled.shuffle;
  std::call_once(shuffle.planned, [&] {
    StagePlanner planner{shuffle.lease->id(), settings};
    planner.plan(*shuffled.parents.front(),
                 {shuffle.writer, shuffle.writer_state, {}, -1});
    shuffle.plan = planner.writes(shuffled);
    shuffle.reads = planner.reads();
  });
  return shuffle;
}

} // namespace

Result<std::shared_ptr<const PlannedJob>>
plan_job(const Node& target, const Action& action, JobId job, StageId result,
         const PlanSettings& settings) {
  if (auto whole = may_begin_together(target, action); !whole)
    return std::move(whole).error();
  StagePlanner planner{result, settings};
  planner.plan(target, {action.name, action.state, {}, -1});
  std::map<StageId, std::shared_ptr<const StagePlan>> stages;
  stages.emplace(result, planner.ends_with(action));
  // Without recursion: an algorithm that repeats itself has long chains of shuffles.
  auto to_visit = planner.reads();
  while (!to_visit.empty()) {
    const auto& next = *to_visit.back();
    to_visit.pop_back();
    auto id = next.shuffle->lease->id();
    if (stages.contains(id))
      continue;
    if (auto whole = may_begin_together(*next.parents.front()); !whole)
      return std::move(whole).error();
    const auto& shuffle = planned(next, settings);
    stages.emplace(id, shuffle.plan);
    to_visit.insert(to_visit.end(), shuffle.reads.begin(), shuffle.reads.end());
  }
  JobSpec spec;
  spec.id = job;
  spec.name = action.what;
  spec.pool = settings.pool;
  std::vector<std::shared_ptr<const StagePlan>> plans;
  for (auto& [id, plan] : stages) {
    spec.stages.push_back(plan->spec());
    plans.push_back(std::move(plan));
  }
  return std::make_shared<const PlannedJob>(std::move(spec), std::move(plans));
}

} // namespace stoker::jobs
