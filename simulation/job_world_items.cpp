// What is done to the executors of a simulated driver.

#include "simulation/job_world.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Duration longest_start = seconds{2};

} // namespace

// -- executors ----------------------------------------------------------------

Duration JobWorld::message_delay(Dice& dice) {
  return dice.lasting(milliseconds{0}, queue_.now() < messages_slow_until_
                                           ? milliseconds{3000}
                                           : milliseconds{3});
}

void JobWorld::start_executor_later() {
  ++starting_;
  queue_.after(dice_.lasting(milliseconds{20}, longest_start), [this] {
    --starting_;
    start_executor();
  });
}

void JobWorld::start_executor() {
  std::vector<int> up;
  for (int i = 0; i < machines_.count(); ++i)
    if (machines_[i].is_up)
      up.push_back(i);
  if (up.empty()) {
    start_executor_later();
    return;
  }
  auto exec_id = next_exec_id_++;
  auto& x = executors_[exec_id];
  // Some of the simulated tasks need two.
  auto cores = static_cast<int>(dice_.between(2, 4));
  x.process = std::make_unique<JobExecutorProcess>(
      queue_, Dice{scenario_.seed, "executor " + std::to_string(exec_id)},
      machines_, values_, task_referee_, exec_id, dice_.any_of(up), cores,
      [this, exec_id](const JobExecutorProcess::Message& message) {
        tell_driver(exec_id, [this, message] { hear(message); });
      });
  referee_.note("executor " + std::to_string(exec_id) + " starts");
  tell_driver(exec_id, [this, registration = x.process->registration()] {
    step(registration);
  });
  beat(exec_id);
}

/// It says that it is there, again and again.
void JobWorld::beat(int exec_id) {
  auto interval = scheduler_.state().config.heartbeats.interval;
  if (interval.count() == 0)
    return;
  queue_.after(interval, [this, exec_id] {
    const auto& x = executors_.at(exec_id);
    if (!x.process->is_alive() || !x.linked)
      return;
    x.process->when_it_goes([this, exec_id] {
      tell_driver(exec_id,
                  [this, exec_id] { step(ExecutorHeartbeat{exec_id}); });
      beat(exec_id);
    });
  });
}

void JobWorld::tell_driver(int exec_id, std::function<void()> what) {
  auto& x = executors_.at(exec_id);
  if (!x.linked)
    return;
  x.last_back = std::max(x.last_back, queue_.now() + message_delay(dice_));
  queue_.at(x.last_back, std::move(what));
}

/// What the coordinator of a barrier stage says, which is another actor than the task
/// scheduler: it may come before or after what that says. Now and then it comes once
/// more, and late.
void JobWorld::tell_beside(int exec_id, const BarrierTasksMayBegin& x) {
  auto found = executors_.find(exec_id);
  if (found == executors_.end() || !found->second.linked)
    return;
  auto begin = [this, exec_id, x] {
    auto& process = *executors_.at(exec_id).process;
    if (process.is_alive())
      process.when_it_goes([&process, x] { process.begin_held(x); });
  };
  queue_.after(message_delay(barrier_dice_), begin);
  if (barrier_dice_.chance(10))
    queue_.after(barrier_dice_.lasting(milliseconds{0}, seconds{5}), begin);
}

void JobWorld::tell_executor(int exec_id,
                             std::function<void(JobExecutorProcess&)> what) {
  auto found = executors_.find(exec_id);
  if (found == executors_.end() || !found->second.linked
      || found->second.given_up)
    return;
  auto& x = found->second;
  x.last_there = std::max(x.last_there, queue_.now() + message_delay(dice_));
  queue_.at(x.last_there, [this, exec_id, what = std::move(what)] {
    auto& process = *executors_.at(exec_id).process;
    if (process.is_alive())
      process.when_it_goes([&process, what] { what(process); });
  });
}

/// What it has said before arrives before that; what the master says of its end may
/// come earlier.
void JobWorld::break_link(int exec_id) {
  auto& x = executors_.at(exec_id);
  if (!x.linked)
    return;
  x.linked = false;
  x.last_back = std::max(x.last_back, queue_.now() + message_delay(dice_));
  queue_.at(x.last_back,
            [this, exec_id] { step(ExecutorDisconnected{exec_id}); });
}

void JobWorld::end_executor(int exec_id, ExecutorLoss loss,
                            const std::string& why) {
  auto& x = executors_.at(exec_id);
  if (!x.process->is_alive())
    return;
  referee_.note("executor " + std::to_string(exec_id) + " ends: " + why);
  x.process->die();
  break_link(exec_id);
  // The master may hear of it before the driver sees that the connection broke, or
  // after it has given up.
  queue_.after(dice_.lasting(milliseconds{1}, seconds{3}),
               [this, exec_id, loss, why] {
                 step(ExecutorEnded{exec_id, loss, why});
               });
  start_executor_later();
}

/// Whoever wanted it to leave asks the master to end it.
void JobWorld::remove_executor(int exec_id) {
  queue_.after(dice_.lasting(milliseconds{1}, seconds{1}), [this, exec_id] {
    end_executor(exec_id, ExecutorLoss::from_outside, "killed on request");
  });
}

/// It is told to stop, and the master is asked to end it, which may not hear of that.
void JobWorld::give_up(int exec_id) {
  tell_executor(exec_id, [this](JobExecutorProcess& process) {
    end_executor(process.exec_id(), ExecutorLoss::by_itself,
                 "it was told to stop");
  });
  executors_.at(exec_id).given_up = true;
  if (dice_.chance(70))
    remove_executor(exec_id);
}

JobWorld::Executor* JobWorld::executor_at(std::int64_t who) {
  std::vector<Executor*> alive;
  for (auto& [exec_id, x] : executors_)
    if (x.process->is_alive())
      alive.push_back(&x);
  return alive.empty() ? nullptr
                       : alive[static_cast<std::size_t>(who) % alive.size()];
}

// -- items --------------------------------------------------------------------

void JobWorld::happen(const Item& item) {
  referee_.note(item.what);
  referee_.stats().count("item: " + item.what);
  if (item.what == "submit-job")
    return submit(item.other, false);
  if (item.what == "submit-gangs")
    return submit(item.other, true);
  if (item.what == "cancel-job") {
    if (next_job_ > 0)
      step(JobCancelled{JobId{static_cast<std::int32_t>(item.who % next_job_)},
                        "no need"});
    return;
  }
  if (item.what == "release-stages")
    return release_stages();
  if (item.what == "lose-machine")
    return lose_machine(item);
  if (item.what == "damage-outputs")
    return damage_outputs(item);
  if (item.what == "hide-outputs") {
    auto& machine = machines_[static_cast<int>(item.who % machines_.count())];
    machine.unreachable_until = queue_.now() + item.lasts;
    return;
  }
  if (item.what == "fill-disk") {
    machines_[static_cast<int>(item.who % machines_.count())].full_until
        = queue_.now() + item.lasts;
    return;
  }
  if (item.what == "slow-messages") {
    messages_slow_until_ = queue_.now() + item.lasts;
    return;
  }
  auto* x = executor_at(item.who);
  if (x == nullptr)
    return;
  auto exec_id = x->process->exec_id();
  if (item.what == "crash-executor") {
    end_executor(exec_id, ExecutorLoss::from_outside, "killed");
  } else if (item.what == "end-executor") {
    end_executor(exec_id, ExecutorLoss::by_itself, "exit code 1");
  } else if (item.what == "leave-executor") {
    // The driver may not know it yet.
    step(DecommissionExecutor{exec_id, "it is not needed"});
  } else if (item.what == "pause-executor") {
    x->process->stand_still(queue_.now() + item.lasts);
  } else if (item.what == "keep-executor") {
    step(KeepExecutor{exec_id});
  } else if (item.what == "break-executor-link") {
    // It sees that, too, and ends.
    break_link(exec_id);
    queue_.after(dice_.lasting(milliseconds{0}, seconds{10}), [this, exec_id] {
      end_executor(exec_id, ExecutorLoss::by_itself, "it lost its driver");
    });
  } else if (item.what == "fail-tasks" || item.what == "slow-executor") {
    TaskWeather weather;
    if (item.what == "fail-tasks")
      weather.failing = static_cast<int>(item.other % 100);
    else
      weather.slowness = static_cast<int>(item.other % 50 + 1);
    x->process->weather = weather;
    queue_.after(item.lasts, [this, exec_id] {
      executors_.at(exec_id).process->weather = {};
    });
  } else {
    fail("the simulation does not know the item " + item.what);
  }
}

void JobWorld::lose_machine(const Item& item) {
  auto number = static_cast<int>(item.who % machines_.count());
  auto& machine = machines_[number];
  if (!machine.is_up)
    return;
  machine.is_up = false;
  auto worker_id = machine.worker_id();
  for (auto& [exec_id, x] : executors_)
    if (x.process->machine() == number)
      end_executor(exec_id, ExecutorLoss::from_outside, "its worker was lost");
  // The master may take long to notice.
  queue_.after(dice_.lasting(milliseconds{10}, seconds{15}),
               [this, worker_id] { step(OutputsGone{worker_id}); });
  queue_.after(item.lasts, [&machine] {
    ++machine.life;
    machine.is_up = true;
    machine.outputs.clear();
  });
}

void JobWorld::damage_outputs(const Item& item) {
  auto& outputs
      = machines_[static_cast<int>(item.who % machines_.count())].outputs;
  for (auto& [id, x] : outputs)
    if (dice_.chance(static_cast<int>(item.other % 60) + 5))
      x.is_damaged = true;
}

void JobWorld::heal() {
  messages_slow_until_ = {};
  for (int i = 0; i < machines_.count(); ++i)
    machines_[i].unreachable_until = machines_[i].full_until = {};
  for (auto& [exec_id, x] : executors_) {
    x.process->weather = {};
    x.process->go_on();
  }
}

} // namespace stoker::simulation
