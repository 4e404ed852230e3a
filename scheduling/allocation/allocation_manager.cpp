#include "scheduling/allocation/allocation_manager.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduling/common/wake_up.hpp"

namespace stoker {

namespace {

constexpr int most_executors = std::numeric_limits<int>::max();

} // namespace

std::size_t AllocationManager::HashAttempt::operator()(
    const TaskAttempt& x) const noexcept {
  auto stage = std::hash<StageAttempt>{}({x.stage, x.attempt});
  return stage * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(x.task);
}

AllocationManager::AllocationManager(const AllocationSettings& settings)
    : settings_(settings),
      executors_(settings.idle_timeout, settings.cached_idle_timeout),
      target_(initial_target(settings)) {
}

AllocationActions AllocationManager::start(Instant now) {
  now_ = clock_.at(now);
  say_total();
  plan_next_tick();
  return std::exchange(actions_, {});
}

AllocationActions AllocationManager::step(Instant now,
                                          const AllocationEvent& event) {
  now_ = clock_.at(now);
  std::visit([this](const auto& x) { on(x); }, event);
  follow_gangs();
  plan_next_tick();
  return std::exchange(actions_, {});
}

AllocationStatus AllocationManager::status() const {
  AllocationStatus result;
  result.target = target_;
  result.needed = needed();
  result.gang = gang_;
  result.next_increment = static_cast<int>(increment_);
  if (add_at_)
    result.add_at = clock_.as_given(*add_at_);
  result.executors = executors_.size();
  result.leaving = executors_.leaving();
  result.initializing = initializing_;
  return result;
}

// -- time -----------------------------------------------------------------------

std::optional<Instant> AllocationManager::next_due() const {
  return tick_at_ ? std::optional{clock_.as_given(*tick_at_)} : std::nullopt;
}

void AllocationManager::plan_next_tick() {
  auto from = ticks_matter_from();
  if (!from || *from > now_)
    tick_at_ = from;
  // What was planned may be this: then it waits no longer.
  else if (needed_at_once() > target_ && !refused_)
    // A barrier stage does not wait for other events.
    tick_at_ = now_;
  else if (!tick_at_ || *tick_at_ > now_ + interval)
    tick_at_ = now_ + interval;
}

std::optional<Instant> AllocationManager::ticks_matter_from() const {
  if (open_total_ || open_end_)
    return std::nullopt;
  return earlier(earlier(target_changes_from(), idle_end_from()),
                 gang_matters_from());
}

std::optional<Instant> AllocationManager::target_changes_from() const {
  if (initializing_)
    // Somebody who is idle for too long ends that.
    return executors_.any_due() ? now_ : executors_.next_look();
  if (needed_at_once() > target_)
    return now_;
  auto most_useful = needed();
  auto shrinks = most_useful < target_;
  if (!shrinks && !add_at_)
    return std::nullopt;
  auto from = shrinks ? now_ : *add_at_;
  auto target
      = shrinks ? std::int64_t{shrunk(most_useful)} : grown(most_useful);
  if (target == target_ && increment_ == 1)
    return std::nullopt;
  return from;
}

std::optional<Instant> AllocationManager::idle_end_from() const {
  if (may_go() <= 0)
    return std::nullopt;
  return executors_.any_due() ? now_ : executors_.next_look();
}

// -- stages and tasks -----------------------------------------------------------

void AllocationManager::on(const StageSubmitted& x) {
  initializing_ = refused_ = false;
  load_.submit(x.id, x.tasks, x.at_once);
  locality_.set(x.id, x.locality);
  tasks_wait();
}

void AllocationManager::on(const StageEnded& x) {
  load_.end(x.id);
  locality_.erase(x.id);
  if (!load_.has_stages())
    nothing_waits();
}

void AllocationManager::on(const TaskBegan& x) {
  auto [i, is_new] = running_.try_emplace(x.id);
  if (!is_new)
    return;
  auto& task = i->second;
  task.stage = {x.id.stage, x.stage_attempt};
  task.exec_id = x.exec_id;
  task.executor = executors_.begin_task(x.exec_id);
  task.speculative = x.speculative;
  task.counted = load_.begin_task(task.stage, x.id.task, x.speculative);
  if (task.counted && !load_.has_pending())
    nothing_waits();
}

void AllocationManager::on(const TaskOver& x) {
  auto i = running_.find(x.id);
  if (i == running_.end())
    return;
  auto task = i->second;
  running_.erase(i);
  executors_.end_task(now_, task.exec_id, task.executor);
  if (!task.counted)
    return;
  if (x.outcome == TaskOutcome::succeeded) {
    load_.drop_copy(task.stage, x.id.task);
  } else if (x.outcome == TaskOutcome::failed) {
    if (!load_.has_pending())
      tasks_wait();
    if (!task.speculative)
      load_.give_back(task.stage, x.id.task);
  }
  load_.end_task(task.stage);
}

void AllocationManager::on(const SpeculationWanted& x) {
  if (load_.want_copy(x.stage, x.task))
    tasks_wait();
}

void AllocationManager::on(const SpeculationDropped& x) {
  load_.drop_copy(x.stage, x.task);
  if (!load_.has_pending())
    nothing_waits();
}

void AllocationManager::tasks_wait() {
  if (!add_at_)
    add_at_ = now_ + settings_.backlog_timeout;
}

void AllocationManager::nothing_waits() {
  add_at_.reset();
  increment_ = 1;
  if (open_total_)
    open_total_->series_over = true;
}

// -- executors ------------------------------------------------------------------

void AllocationManager::on(const ExecutorJoined& x) {
  executors_.add(now_, x.exec_id);
}

void AllocationManager::on(const ExecutorLeft& x) {
  executors_.remove(x.exec_id);
}

void AllocationManager::on(const BlockStored& x) {
  executors_.store_block(x.exec_id, x.dataset, x.partition);
}

void AllocationManager::on(const BlockDropped& x) {
  executors_.drop_block(x.exec_id, x.dataset, x.partition);
}

void AllocationManager::on(const DatasetUnpersisted& x) {
  executors_.drop_dataset(x.dataset);
}

// -- decisions ------------------------------------------------------------------

void AllocationManager::on(const AllocationTick& /*unused*/) {
  if (open_total_ || open_end_)
    return;
  executors_.look(now_);
  if (executors_.any_due())
    initializing_ = false;
  update_target();
  if (!open_total_)
    end_idle();
  if (!open_total_ && !open_end_)
    give_back();
}

void AllocationManager::on(const WantTotalAnswered& x) {
  if (!open_total_ || open_total_->number != x.number)
    return;
  auto open = *std::exchange(open_total_, std::nullopt);
  refused_ = !x.acknowledged;
  auto growth = std::int64_t{target_} - open.before;
  if (!x.acknowledged) {
    target_ = open.before;
    gang_ = open.gang_before;
  } else if (growth > 0 && !open.series_over) {
    auto doubled = std::min<std::int64_t>(2 * increment_, most_executors);
    increment_ = growth == increment_ ? doubled : 1;
    add_at_ = now_
              + settings_.sustained_backlog_timeout.value_or(
                  settings_.backlog_timeout);
  }
  executors_.look(now_);
  end_idle();
}

void AllocationManager::on(const EndIdleAnswered& x) {
  if (!open_end_ || open_end_->number != x.number)
    return;
  auto open = *std::exchange(open_end_, std::nullopt);
  executors_.answer(open.exec_ids, x.exec_ids);
}

int AllocationManager::executors_for(std::int64_t tasks, double ratio) const {
  auto exact = std::ceil(static_cast<double>(tasks) * ratio / slots(settings_));
  return exact < most_executors ? static_cast<int>(exact) : most_executors;
}

int AllocationManager::needed() const {
  auto tasks = load_.pending() + load_.pending_copies() + load_.running();
  auto slots_of_one = slots(settings_);
  auto result
      = std::max(executors_for(tasks, settings_.ratio), needed_at_once());
  // So that a second attempt can run elsewhere than the first.
  auto elsewhere
      = slots_of_one > 1 && result == 1 && load_.pending_copies() > 0;
  return elsewhere ? 2 : result;
}

void AllocationManager::update_target() {
  if (initializing_)
    return;
  auto most_useful = needed();
  if (auto at_once = needed_at_once(); at_once > target_) {
    propose(at_once);
  } else if (most_useful < target_) {
    increment_ = 1;
    propose(shrunk(most_useful));
  } else if (add_at_ && now_ >= *add_at_) {
    grow(most_useful);
  }
  // The target may stay, and the gang not.
  if (!open_total_)
    propose(target_);
}

int AllocationManager::shrunk(int needed) const {
  return std::max(needed, settings_.min_executors);
}

std::int64_t AllocationManager::grown(int needed) const {
  if (target_ >= settings_.max_executors)
    return target_;
  auto next = std::max<std::int64_t>(target_, executors_.size()) + increment_;
  next = std::min<std::int64_t>({next, needed, settings_.max_executors});
  return std::max<std::int64_t>(next, settings_.min_executors);
}

void AllocationManager::grow(int needed) {
  auto next = grown(needed);
  if (next == target_)
    increment_ = 1;
  propose(next);
}

void AllocationManager::propose(std::int64_t target) {
  auto gang
      = std::clamp(needed_at_once(), 1, std::max(1, static_cast<int>(target)));
  if (target == target_ && gang == gang_)
    return;
  OpenTotal open;
  open.before = std::exchange(target_, static_cast<int>(target));
  open.gang_before = std::exchange(gang_, gang);
  open.number = say_total();
  open_total_ = open;
}

// -- barrier stages -------------------------------------------------------------

int AllocationManager::needed_at_once() const {
  auto gang = load_.largest_gang();
  return gang == 0 ? 0
                   : std::min(executors_for(gang + load_.running_in_open(), 1),
                              settings_.max_executors);
}

void AllocationManager::follow_gangs() {
  if (load_.largest_gang() == 0)
    give_back_at_.reset();
  else if (!give_back_at_)
    give_back_at_ = now_ + settings_.gang_hold_timeout;
}

std::optional<Instant> AllocationManager::gang_matters_from() const {
  if (initializing_)
    return std::nullopt;
  // The cluster is to know what is of use to it.
  if (std::max(1, std::min(needed_at_once(), target_)) != gang_)
    return now_;
  return held_for_gang() > 0 ? give_back_at_ : std::nullopt;
}

std::int64_t AllocationManager::held_for_gang() const {
  if (!give_back_at_)
    return 0;
  auto others = load_.pending() - load_.pending_in_gangs()
                + load_.pending_copies() + load_.running();
  auto stay = std::max(settings_.min_executors,
                       executors_for(others, settings_.ratio));
  return executors_.size() - executors_.leaving() - stay;
}

/// The total stays: the cluster starts the whole gang when it has room for it.
void AllocationManager::give_back() {
  auto most = held_for_gang();
  if (!give_back_at_ || *give_back_at_ > now_)
    return;
  give_back_at_ = now_ + settings_.gang_hold_timeout;
  if (most <= 0)
    return;
  auto idle = executors_.first_idle(static_cast<std::size_t>(most));
  if (idle.empty())
    return;
  open_end_ = {++last_number_, std::move(idle)};
  executors_.ask(open_end_->exec_ids);
  actions_.emplace_back(*open_end_);
  say_total();
}

// -- who may go -------------------------------------------------------------------

std::int64_t AllocationManager::may_go() const {
  auto stay = std::max(settings_.min_executors, target_);
  return executors_.size() - executors_.leaving() - stay;
}

void AllocationManager::end_idle() {
  auto most = may_go();
  if (most <= 0 || !executors_.any_due())
    return;
  open_end_
      = {++last_number_, executors_.first_due(static_cast<std::size_t>(most))};
  executors_.ask(open_end_->exec_ids);
  actions_.emplace_back(*open_end_);
  // Spark does: whoever ends executors may take them off the total.
  say_total();
}

std::uint64_t AllocationManager::say_total() {
  actions_.emplace_back(
      WantTotal{++last_number_, target_, locality_.total(), gang_});
  return last_number_;
}

} // namespace stoker
