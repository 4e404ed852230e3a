#include "simulation/job_executor_process.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "simulation/violation.hpp"

namespace stoker::simulation {

using std::chrono::milliseconds;

JobExecutorProcess::JobExecutorProcess(EventQueue& queue, Dice dice,
                                       Machines& machines,
                                       ExpectedValues& values,
                                       TaskReferee& referee, int exec_id,
                                       int machine, int cores, Tell tell)
    : queue_(queue), dice_(dice), machines_(machines), values_(values),
      referee_(referee), exec_id_(exec_id), machine_(machine), cores_(cores),
      tell_(std::move(tell)), tasks_(cores) {
  referee_.comes(exec_id, cores);
}

RegisterExecutor JobExecutorProcess::registration() const {
  auto& x = machines_[machine_];
  return {exec_id_, x.worker_id(), x.host, cores_, x.server()};
}

void JobExecutorProcess::after(Duration pause, std::function<void()> what) {
  queue_.after(pause, [this, alive = alive_, what = std::move(what)] {
    if (*alive)
      when_it_goes(what);
  });
}

void JobExecutorProcess::when_it_goes(std::function<void()> what) {
  if (queue_.now() < still_until_ || !put_off_.empty())
    put_off_.push_back(std::move(what));
  else
    what();
}

void JobExecutorProcess::stand_still(Instant until) {
  still_until_ = std::max(still_until_, until);
  queue_.at(still_until_, [this, alive = alive_] {
    if (*alive && still_until_ <= queue_.now())
      go_on();
  });
}

void JobExecutorProcess::go_on() {
  still_until_ = {};
  while (*alive_ && !put_off_.empty()) {
    auto what = std::move(put_off_.front());
    put_off_.pop_front();
    what();
  }
}

void JobExecutorProcess::die() {
  *alive_ = false;
  referee_.ends(exec_id_);
}

// -- what the driver says -----------------------------------------------------

void JobExecutorProcess::know_stage(const StageSpec& spec) {
  stages_[spec.id] = {spec.cores, spec.is_result, spec.is_barrier};
  tasks_.know(spec.id, spec.cores);
}

void JobExecutorProcess::know_outputs(const StageOutputs& x) {
  outputs_[x.stage] = x;
}

void JobExecutorProcess::start(const std::vector<TaskAttempt>& tasks) {
  std::set<std::pair<StageId, int>> held;
  for (const auto& id : tasks) {
    auto stage = stages_.find(id.stage);
    if (stage == stages_.end())
      fail("executor " + std::to_string(exec_id_)
           + " was not told of the stage of " + to_string(id));
    if (stage->second.is_barrier) {
      tasks_.hold({id, {}, ""});
      referee_.holds(exec_id_, id, stage->second.cores);
      held.emplace(id.stage, id.attempt);
    } else {
      tasks_.add({id, {}, ""});
      referee_.waits(exec_id_, id, stage->second.cores);
    }
  }
  for (const auto& [stage, attempt] : held)
    tell_(BarrierTasksReady{stage, attempt, exec_id_, 0});
  begin_tasks();
}

void JobExecutorProcess::begin_held(const BarrierTasksMayBegin& x) {
  static_cast<void>(tasks_.release(x.stage, x.attempt));
  begin_tasks();
}

void JobExecutorProcess::end_task(const TaskAttempt& id) {
  TaskStatus status;
  status.id = id;
  status.state = TaskState::KILLED;
  auto at_slot = std::find(at_slots_.begin(), at_slots_.end(), id);
  if (tasks_.take(id) || at_slot != at_slots_.end()) {
    if (at_slot != at_slots_.end())
      at_slots_.erase(at_slot);
    tasks_.ended(id);
    referee_.leaves(exec_id_, id);
    tell(status);
    begin_tasks();
    return;
  }
  for (const auto& x : running_)
    if (x.id == id) {
      // It may come to its end before that.
      after(dice_.lasting(milliseconds{1}, milliseconds{300}),
            [this, run = x.run, status] {
              if (find(run) != nullptr)
                leave(run, status);
            });
      return;
    }
}

void JobExecutorProcess::return_tasks(int count) {
  StatusUpdates answer;
  answer.exec_id = exec_id_;
  auto wanted = static_cast<std::size_t>(count);
  auto& returned = answer.returned.emplace(tasks_.take_back(wanted));
  while (returned.size() < wanted && !at_slots_.empty()) {
    returned.push_back(at_slots_.back());
    at_slots_.pop_back();
    tasks_.ended(returned.back());
  }
  for (const auto& id : returned)
    referee_.leaves(exec_id_, id);
  tell_(std::move(answer));
}

// -- tasks --------------------------------------------------------------------

void JobExecutorProcess::begin_tasks() {
  while (auto task = tasks_.next()) {
    referee_.may_run(exec_id_, task->id);
    at_slots_.push_back(task->id);
  }
  while (!at_slots_.empty() && static_cast<int>(running_.size()) < cores_) {
    auto id = at_slots_.front();
    at_slots_.pop_front();
    begin(id);
  }
  referee_.rests(exec_id_);
}

void JobExecutorProcess::begin(const TaskAttempt& id) {
  referee_.runs(exec_id_, id);
  auto run = ++runs_;
  running_.push_back({id, run, queue_.now(), std::nullopt});
  auto longest = dice_.chance(80) ? milliseconds{30} : milliseconds{3000};
  auto takes = dice_.lasting(milliseconds{0}, longest) * weather.slowness;
  after(takes / 2, [this, run] { read(run); });
  after(takes, [this, run] { finish(run); });
}

JobExecutorProcess::Running* JobExecutorProcess::find(std::uint64_t run) {
  for (auto& x : running_)
    if (x.run == run)
      return &x;
  return nullptr;
}

/// @pre it runs
void JobExecutorProcess::leave(std::uint64_t run, TaskStatus status) {
  std::erase_if(running_, [&](const auto& x) { return x.run == run; });
  tasks_.ended(status.id);
  referee_.leaves(exec_id_, status.id);
  tell(std::move(status));
  begin_tasks();
}

void JobExecutorProcess::read(std::uint64_t run) {
  auto* x = find(run);
  if (x == nullptr)
    return;
  std::vector<std::uint64_t> values;
  for (const auto& from : values_.reads(x->id.stage)) {
    const auto& outputs = outputs_[from.stage];
    auto narrow = from.kind == DependencyKind::narrow;
    auto first = narrow ? x->id.task : 0;
    auto end = narrow ? first + 1 : values_.tasks(from.stage);
    for (auto task = first; task < end; ++task) {
      if (static_cast<std::size_t>(task) >= outputs.places.size())
        fail("executor " + std::to_string(exec_id_)
             + " was not told of what it reads for " + to_string(x->id));
      const auto& place = outputs.places[static_cast<std::size_t>(task)];
      if (place.server < 0)
        fail("executor " + std::to_string(exec_id_)
             + " was told of a missing output for " + to_string(x->id));
      TaskAttempt output{from.stage, task, place.attempt};
      auto reading = machines_.read(
          queue_.now(), outputs.servers[static_cast<std::size_t>(place.server)],
          output);
      if (reading.value) {
        values.push_back(*reading.value);
        continue;
      }
      TaskStatus status;
      status.id = x->id;
      status.state = TaskState::FAILED;
      status.error = "cannot read " + to_string(output);
      status.fetch_failed = FetchFailed{output, reading.unreachable};
      return leave(run, std::move(status));
    }
  }
  x->value = ExpectedValues::combine(x->id.stage, x->id.task, values);
}

void JobExecutorProcess::finish(std::uint64_t run) {
  auto* x = find(run);
  if (x == nullptr)
    return;
  TaskStatus status;
  status.id = x->id;
  status.run_ms = (queue_.now() - x->began).count();
  if (dice_.chance(weather.failing)) {
    status.state = TaskState::FAILED;
    status.error = "exit code 1";
  } else {
    const auto& stage = stages_.at(x->id.stage);
    auto value = x->value.value();
    if (stage.has_result && dice_.chance(70)) {
      status.result = std::to_string(value);
    } else if (queue_.now() < machines_[machine_].full_until) {
      status.state = TaskState::FAILED;
      status.error = "no space is left";
      status.disk_full = true;
    } else {
      status.result_is_stored = stage.has_result;
      machines_[machine_].outputs[x->id] = {value, false};
    }
  }
  leave(run, std::move(status));
}

void JobExecutorProcess::tell(TaskStatus x) {
  StatusUpdates result;
  result.exec_id = exec_id_;
  result.ended.push_back(std::move(x));
  tell_(std::move(result));
}

} // namespace stoker::simulation
