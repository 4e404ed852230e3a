#include "executor/task_slots.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "executor/running_task.hpp"

namespace stoker::executor {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} * 1024;

/// Signals of this process are for other threads. SIGPIPE then comes to nobody: writing
/// to a closed pipe fails.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

} // namespace

TaskSlots::TaskSlots(TaskSlotsConfig config, Listener listener)
    : config_(config), listener_(std::move(listener)), trees_(config.slots) {
  assert(config.slots > 0);
  for (int i = 0; i < config.slots; ++i)
    slots_.push_back(std::make_unique<Slot>());
  for (int i = 0; i < config.slots; ++i)
    slots_[static_cast<std::size_t>(i)]->thread
        = std::thread{[this, i] { work(i); }};
}

TaskSlots::~TaskSlots() {
  stop("the executor ends");
}

Status TaskSlots::add(const TaskAttempt& task, TaskProgram program) {
  if (auto status = validate(program); !status)
    return status;
  {
    std::lock_guard lock{mutex_};
    if (stopped_)
      return Error{Errc::not_alive, "the executor ends"};
    if (is_here(task))
      return Error{Errc::in_use, to_string(task) + " is here already"};
    if (queue_.size() >= config_.queue_max)
      return Error{Errc::full, std::to_string(queue_.size())
                                   + " tasks wait for a slot already"};
    queue_.push_back({task, std::move(program)});
  }
  changed_.notify_one();
  return {};
}

bool TaskSlots::kill(const TaskAttempt& task, const std::string& reason) {
  // Its input and output end outside of the lock.
  std::optional<Task> waiting;
  {
    std::lock_guard lock{mutex_};
    for (const auto& slot : slots_)
      if (slot->task == task) {
        slot->control.kill(reason);
        return true;
      }
    auto i = std::find_if(queue_.begin(), queue_.end(),
                          [&](const Task& x) { return x.id == task; });
    if (i == queue_.end())
      return false;
    waiting = std::move(*i);
    queue_.erase(i);
  }
  report_killed({task}, reason);
  return true;
}

std::vector<TaskAttempt> TaskSlots::take_back(std::size_t count_max) {
  std::vector<Task> taken;
  {
    std::lock_guard lock{mutex_};
    for (; taken.size() < count_max && !queue_.empty(); queue_.pop_back())
      taken.push_back(std::move(queue_.back()));
  }
  std::vector<TaskAttempt> result;
  for (const auto& task : taken)
    result.push_back(task.id);
  return result;
}

std::size_t TaskSlots::running() const {
  std::lock_guard lock{mutex_};
  return static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(),
                    [](const auto& slot) { return slot->task.has_value(); }));
}

std::size_t TaskSlots::queued() const {
  std::lock_guard lock{mutex_};
  return queue_.size();
}

void TaskSlots::stop(const std::string& reason) {
  std::vector<TaskAttempt> waiting;
  std::deque<Task> taken;
  {
    std::lock_guard lock{mutex_};
    stopped_ = true;
    taken.swap(queue_);
    for (const auto& slot : slots_)
      if (slot->task)
        slot->control.kill(reason);
  }
  changed_.notify_all();
  for (const auto& task : taken)
    waiting.push_back(task.id);
  taken.clear();
  report_killed(waiting, reason);
  std::lock_guard joining{joining_};
  for (const auto& slot : slots_)
    if (slot->thread.joinable())
      slot->thread.join();
}

void TaskSlots::work(int slot) {
  block_signals();
  auto& own = *slots_[static_cast<std::size_t>(slot)];
  TaskThread thread{trees_,
                    slot,
                    {},
                    std::vector<char>(buffer_bytes),
                    process::UniqueFd{::open("/dev/null", O_RDWR | O_CLOEXEC)}};
  while (auto task = next(own)) {
    auto id = task->id;
    auto end = RunningTask{thread, std::move(task->program), own.control}.run(
        [&] { listener_(id, TaskStarted{}); });
    {
      std::lock_guard lock{mutex_};
      own.task.reset();
      own.control.reset();
    }
    listener_(id, end);
  }
}

std::optional<TaskSlots::Task> TaskSlots::next(Slot& slot) {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
  if (queue_.empty())
    return std::nullopt;
  std::optional<Task> result{std::move(queue_.front())};
  queue_.pop_front();
  slot.task = result->id;
  return result;
}

void TaskSlots::report_killed(const std::vector<TaskAttempt>& tasks,
                              const std::string& reason) const {
  for (const auto& task : tasks)
    listener_(task, TaskEnd{Killed{reason}});
}

bool TaskSlots::is_here(const TaskAttempt& task) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const auto& slot) { return slot->task == task; })
         || std::any_of(queue_.begin(), queue_.end(),
                        [&](const Task& x) { return x.id == task; });
}

} // namespace stoker::executor
