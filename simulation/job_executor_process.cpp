#include "simulation/job_executor_process.hpp"

#include <algorithm>
#include <utility>

#include "simulation/violation.hpp"

namespace stoker::simulation {

using std::chrono::milliseconds;

JobExecutorProcess::JobExecutorProcess(EventQueue& queue, Dice dice,
                                       Machines& machines,
                                       ExpectedValues& values, int exec_id,
                                       int machine, int cores, Tell tell)
    : queue_(queue), dice_(dice), machines_(machines), values_(values),
      exec_id_(exec_id), machine_(machine), cores_(cores),
      tell_(std::move(tell)) {
}

RegisterExecutor JobExecutorProcess::registration() const {
  auto& x = machines_[machine_];
  return {exec_id_, x.worker_id(), x.host, cores_, x.server()};
}

void JobExecutorProcess::after(Duration pause, std::function<void()> what) {
  queue_.after(pause, [alive = alive_, what = std::move(what)] {
    if (*alive)
      what();
  });
}

void JobExecutorProcess::die() {
  *alive_ = false;
  // Later ones are another life's.
  running_.clear();
  waiting_.clear();
}

// -- what the driver says -----------------------------------------------------

void JobExecutorProcess::know_stage(StageId stage, int cores, bool has_result) {
  stages_[stage] = {cores, has_result};
}

void JobExecutorProcess::know_outputs(const StageOutputs& x) {
  outputs_[x.stage] = x;
}

void JobExecutorProcess::start(const std::vector<TaskAttempt>& tasks) {
  for (const auto& id : tasks) {
    if (!stages_.contains(id.stage))
      fail("executor " + std::to_string(exec_id_)
           + " was not told of the stage of " + to_string(id));
    waiting_.push_back(id);
  }
  begin_waiting();
}

void JobExecutorProcess::end_task(const TaskAttempt& id) {
  TaskStatus status;
  status.id = id;
  status.state = TaskState::KILLED;
  if (auto found = std::find(waiting_.begin(), waiting_.end(), id);
      found != waiting_.end()) {
    waiting_.erase(found);
    tell(status);
    begin_waiting();
    return;
  }
  for (const auto& x : running_)
    if (x.id == id) {
      // It may come to its end before that.
      after(dice_.lasting(milliseconds{1}, milliseconds{300}),
            [this, run = x.run, status] {
              if (find(run) == nullptr)
                return;
              leave_slot(run);
              tell(status);
              begin_waiting();
            });
      return;
    }
}

bool JobExecutorProcess::has_earlier(const TaskAttempt& of) const {
  auto is_earlier = [&](const TaskAttempt& id) {
    return id.stage == of.stage && id.attempt != of.attempt;
  };
  return std::any_of(waiting_.begin(), waiting_.end(), is_earlier)
         || std::any_of(running_.begin(), running_.end(),
                        [&](const auto& x) { return is_earlier(x.id); });
}

void JobExecutorProcess::return_tasks(int count) {
  StatusUpdates answer;
  answer.exec_id = exec_id_;
  answer.returned.emplace();
  while (count-- > 0 && !waiting_.empty()) {
    answer.returned->push_back(waiting_.back());
    waiting_.pop_back();
  }
  tell_(std::move(answer));
}

// -- tasks --------------------------------------------------------------------

void JobExecutorProcess::begin_waiting() {
  while (!waiting_.empty()
         && used_cores_ + stages_.at(waiting_.front().stage).cores <= cores_) {
    auto id = waiting_.front();
    waiting_.pop_front();
    begin(id);
  }
}

void JobExecutorProcess::begin(const TaskAttempt& id) {
  used_cores_ += stages_.at(id.stage).cores;
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

void JobExecutorProcess::leave_slot(std::uint64_t run) {
  used_cores_ -= stages_.at(find(run)->id.stage).cores;
  std::erase_if(running_, [&](const auto& x) { return x.run == run; });
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
      leave_slot(run);
      tell(status);
      begin_waiting();
      return;
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
  leave_slot(run);
  tell(status);
  begin_waiting();
}

void JobExecutorProcess::tell(TaskStatus x) {
  StatusUpdates result;
  result.exec_id = exec_id_;
  result.ended.push_back(std::move(x));
  tell_(std::move(result));
}

} // namespace stoker::simulation
