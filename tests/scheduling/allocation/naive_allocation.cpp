#include "tests/scheduling/allocation/naive_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace stoker::test {

NaiveAllocation::NaiveAllocation(const AllocationSettings& settings)
    : settings_(settings), target_(settings.min_executors) {
  if (settings.initial_executors)
    target_ = std::max<std::int64_t>(target_, *settings.initial_executors);
  if (settings.executor_instances)
    target_ = std::max<std::int64_t>(target_, *settings.executor_instances);
}

AllocationActions NaiveAllocation::start(Instant now) {
  pass_time(now);
  request();
  return std::exchange(actions_, {});
}

AllocationActions NaiveAllocation::step(Instant now,
                                        const AllocationEvent& event) {
  pass_time(now);
  std::visit([this](const auto& x) { on(x); }, event);
  forget_stages();
  return std::exchange(actions_, {});
}

AllocationStatus NaiveAllocation::status() const {
  AllocationStatus result;
  result.target = static_cast<int>(target_);
  result.needed = needed();
  result.next_increment = static_cast<int>(increment_);
  if (timer_)
    result.add_at = *given_ + (*timer_ - time_);
  result.executors = static_cast<std::int64_t>(executors_.size());
  result.leaving = leaving();
  result.initializing = initial_;
  return result;
}

void NaiveAllocation::pass_time(Instant now) {
  if (!given_)
    time_ = now;
  else if (now > *given_)
    time_ += now - *given_;
  given_ = now;
}

NaiveAllocation::Stage* NaiveAllocation::find_stage(StageAttempt id) {
  for (auto& x : stages_)
    if (x.id == id)
      return &x;
  return nullptr;
}

NaiveAllocation::Executor* NaiveAllocation::find_executor(int id) {
  for (auto& x : executors_)
    if (x.id == id)
      return &x;
  return nullptr;
}

void NaiveAllocation::forget_stages() {
  std::erase_if(stages_, [this](const Stage& x) {
    return x.ended
           && std::none_of(tasks_.begin(), tasks_.end(),
                           [&](const Task& t) { return t.stage == x.id; });
  });
}

// -- sums, made anew ----------------------------------------------------------

std::int64_t NaiveAllocation::pending() const {
  std::int64_t result = 0;
  for (const auto& x : stages_)
    if (!x.ended)
      result += std::max<std::int64_t>(
          0, x.tasks - static_cast<std::int64_t>(x.begun.size()));
  return result;
}

std::int64_t NaiveAllocation::copies() const {
  std::size_t result = 0;
  for (const auto& x : stages_)
    result += x.ended ? 0 : x.copies.size();
  return static_cast<std::int64_t>(result);
}

std::int64_t NaiveAllocation::running() const {
  return std::count_if(tasks_.begin(), tasks_.end(),
                       [](const Task& x) { return x.stage.has_value(); });
}

int NaiveAllocation::needed() const {
  auto all = pending() + copies() + running();
  auto slots_of_one = settings_.executor_cores / settings_.task_cores;
  auto exact = std::ceil(static_cast<double>(all) * settings_.ratio
                         / static_cast<double>(slots_of_one));
  auto result = static_cast<int>(std::min(exact, 2147483647.0));
  return result == 1 && slots_of_one > 1 && copies() > 0 ? 2 : result;
}

std::int64_t NaiveAllocation::leaving() const {
  return std::count_if(executors_.begin(), executors_.end(),
                       [](const Executor& x) { return x.leaving; });
}

LocalityHints NaiveAllocation::locality() const {
  LocalityHints result;
  for (const auto& x : stages_) {
    if (x.ended)
      continue;
    result.tasks += x.locality.tasks;
    for (const auto& [host, count] : x.locality.by_host)
      result.by_host[host] += count;
  }
  return result;
}

bool NaiveAllocation::is_due(const Executor& x) const {
  if (x.asked || x.leaving)
    return false;
  for (const auto& task : tasks_)
    if (task.executor == x.number)
      return false;
  auto allowed = settings_.idle_timeout;
  if (!x.blocks.empty()) {
    if (!settings_.cached_idle_timeout)
      return false;
    allowed = std::max(allowed, *settings_.cached_idle_timeout);
  }
  return time_ - x.idle_since >= allowed;
}

// -- stages and tasks -----------------------------------------------------------

void NaiveAllocation::on(const StageSubmitted& x) {
  initial_ = false;
  if (!timer_)
    timer_ = time_ + settings_.backlog_timeout;
  if (find_stage(x.id) == nullptr) {
    stages_.emplace_back();
    stages_.back().id = x.id;
  }
  auto& stage = *find_stage(x.id);
  stage.ended = false;
  stage.tasks = x.tasks;
  stage.locality = x.locality;
}

void NaiveAllocation::on(const StageEnded& x) {
  if (auto* stage = find_stage(x.id)) {
    *stage = {};
    stage->id = x.id;
    stage->ended = true;
  }
  if (std::all_of(stages_.begin(), stages_.end(),
                  [](const Stage& s) { return s.ended; }))
    empty_queue();
}

void NaiveAllocation::on(const TaskBegan& x) {
  for (const auto& task : tasks_)
    if (task.id == x.id)
      return;
  Task task{x.id, -1, x.speculative, std::nullopt};
  if (auto* executor = find_executor(x.exec_id))
    task.executor = executor->number;
  auto* stage = find_stage({x.id.stage, x.stage_attempt});
  if (stage != nullptr) {
    task.stage = stage->id;
    if (x.speculative)
      stage->copies.erase(x.id.task);
    else if (!stage->ended)
      stage->begun.insert(x.id.task);
  }
  tasks_.push_back(task);
  if (stage != nullptr && pending() == 0 && copies() == 0)
    empty_queue();
}

void NaiveAllocation::on(const TaskOver& x) {
  auto i = std::find_if(tasks_.begin(), tasks_.end(),
                        [&](const Task& t) { return t.id == x.id; });
  if (i == tasks_.end())
    return;
  auto task = *i;
  tasks_.erase(i);
  for (auto& executor : executors_)
    if (executor.number == task.executor
        && std::none_of(tasks_.begin(), tasks_.end(), [&](const Task& t) {
             return t.executor == executor.number;
           }))
      executor.idle_since = time_;
  if (!task.stage)
    return;
  auto& stage = *find_stage(*task.stage);
  switch (x.outcome) {
  case TaskOutcome::succeeded:
    stage.copies.erase(x.id.task);
    break;
  case TaskOutcome::failed:
    if (!timer_ && pending() == 0 && copies() == 0)
      timer_ = time_ + settings_.backlog_timeout;
    if (!task.speculative)
      stage.begun.erase(x.id.task);
    break;
  case TaskOutcome::killed:
    break;
  }
}

void NaiveAllocation::on(const SpeculationWanted& x) {
  auto* stage = find_stage(x.stage);
  if (stage == nullptr || stage->ended)
    return;
  stage->copies.insert(x.task);
  if (!timer_)
    timer_ = time_ + settings_.backlog_timeout;
}

void NaiveAllocation::on(const SpeculationDropped& x) {
  if (auto* stage = find_stage(x.stage))
    stage->copies.erase(x.task);
  if (pending() == 0 && copies() == 0)
    empty_queue();
}

void NaiveAllocation::empty_queue() {
  timer_.reset();
  increment_ = 1;
  emptied_since_ = true;
}

// -- executors ------------------------------------------------------------------

void NaiveAllocation::on(const ExecutorJoined& x) {
  if (find_executor(x.exec_id) != nullptr)
    return;
  Executor executor;
  executor.id = x.exec_id;
  executor.number = executors_ever_++;
  executor.idle_since = time_;
  executors_.push_back(executor);
}

void NaiveAllocation::on(const ExecutorLeft& x) {
  std::erase_if(executors_,
                [&](const Executor& e) { return e.id == x.exec_id; });
}

void NaiveAllocation::on(const BlockStored& x) {
  if (auto* executor = find_executor(x.exec_id))
    executor->blocks.emplace(x.dataset, x.partition);
}

void NaiveAllocation::on(const BlockDropped& x) {
  if (auto* executor = find_executor(x.exec_id))
    executor->blocks.erase({x.dataset, x.partition});
}

void NaiveAllocation::on(const DatasetUnpersisted& x) {
  for (auto& executor : executors_)
    std::erase_if(executor.blocks,
                  [&](const auto& block) { return block.first == x.dataset; });
}

// -- decisions ------------------------------------------------------------------

void NaiveAllocation::on(const AllocationTick& /*unused*/) {
  if (open_request_ != 0 || open_kill_ != 0)
    return;
  for (const auto& x : executors_)
    initial_ = initial_ && !is_due(x);
  auto before = target_;
  if (!initial_ && needed() < target_) {
    increment_ = 1;
    target_ = std::max(needed(), settings_.min_executors);
  } else if (!initial_ && timer_ && *timer_ <= time_) {
    if (target_ < settings_.max_executors) {
      auto known = static_cast<std::int64_t>(executors_.size());
      target_ = std::max(target_, known) + increment_;
      target_ = std::min<std::int64_t>(target_, needed());
      target_ = std::min<std::int64_t>(target_, settings_.max_executors);
      target_ = std::max<std::int64_t>(target_, settings_.min_executors);
      if (target_ == before)
        increment_ = 1;
    } else {
      increment_ = 1;
    }
  }
  if (target_ == before)
    return remove_idle();
  request();
  open_request_ = numbers_;
  target_before_ = before;
  emptied_since_ = false;
}

void NaiveAllocation::on(const WantTotalAnswered& x) {
  if (x.number == 0 || x.number != open_request_)
    return;
  open_request_ = 0;
  auto growth = target_ - target_before_;
  if (!x.acknowledged)
    target_ = target_before_;
  else if (growth > 0 && !emptied_since_) {
    increment_ = growth == increment_
                     ? std::min<std::int64_t>(increment_ * 2, 2147483647)
                     : 1;
    timer_ = time_
             + (settings_.sustained_backlog_timeout
                    ? *settings_.sustained_backlog_timeout
                    : settings_.backlog_timeout);
  }
  remove_idle();
}

void NaiveAllocation::on(const EndIdleAnswered& x) {
  if (x.number == 0 || x.number != open_kill_)
    return;
  open_kill_ = 0;
  for (auto& executor : executors_) {
    if (!executor.asked)
      continue;
    executor.asked = false;
    executor.leaving
        = std::find(x.exec_ids.begin(), x.exec_ids.end(), executor.id)
          != x.exec_ids.end();
  }
}

void NaiveAllocation::remove_idle() {
  std::vector<std::string> candidates;
  for (const auto& x : executors_)
    if (is_due(x))
      candidates.push_back(std::to_string(x.id));
  std::sort(candidates.begin(), candidates.end());
  auto left = static_cast<std::int64_t>(executors_.size()) - leaving();
  EndIdle kill;
  for (const auto& name : candidates) {
    if (left - 1 < settings_.min_executors || left - 1 < target_)
      continue;
    --left;
    kill.exec_ids.push_back(std::stoi(name));
    find_executor(kill.exec_ids.back())->asked = true;
  }
  if (kill.exec_ids.empty())
    return;
  open_kill_ = kill.number = ++numbers_;
  actions_.emplace_back(kill);
  request();
}

void NaiveAllocation::request() {
  actions_.emplace_back(
      WantTotal{++numbers_, static_cast<int>(target_),
                std::make_shared<const LocalityHints>(locality())});
}

} // namespace stoker::test
