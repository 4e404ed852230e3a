#include "executor/function_slots.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "executor/running_function.hpp"

namespace stoker::executor {

struct FunctionSlots::State {
  State(std::shared_ptr<const StageTable> s, const TaskFunctions& f, News n)
      : stages(std::move(s)), functions(f), news(std::move(n)) {
  }

  /// What a thread does.
  struct Slot {
    std::optional<TaskAttempt> task;
    std::stop_source stop;
    /// The next task needs another one.
    bool stop_is_used = false;
  };

  void work(Slot& slot);

  /// Adds an end. Returns whether that is news.
  bool note(TaskStatus status) {
    ended.push_back(std::move(status));
    return ended.size() == 1;
  }

  const std::shared_ptr<const StageTable> stages;
  const TaskFunctions& functions;
  const News news;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable all_returned;
  std::deque<FunctionLaunch> queue;
  /// Do not move: their threads use them.
  std::deque<Slot> slots;
  std::size_t idle = 0;
  std::size_t running = 0;
  Ends ended;
  bool stopped = false;
};

void FunctionSlots::State::work(Slot& slot) {
  std::unique_lock lock{mutex};
  for (;;) {
    ++idle;
    changed.wait(lock, [this] { return stopped || !queue.empty(); });
    --idle;
    if (stopped)
      return;
    auto launch = std::move(queue.front());
    queue.pop_front();
    slot.task = launch.task.id;
    if (std::exchange(slot.stop_is_used, false))
      slot.stop = {};
    auto stop = slot.stop.get_token();
    ++running;
    lock.unlock();
    auto status
        = RunningFunction{*stages, *launch.stage, launch.task, std::move(stop)}
              .run(functions);
    launch = {};
    lock.lock();
    slot.task.reset();
    --running;
    if (stopped) {
      all_returned.notify_all();
      return;
    }
    if (note(std::move(status))) {
      lock.unlock();
      news();
      lock.lock();
    }
  }
}

FunctionSlots::FunctionSlots(int slots,
                             std::shared_ptr<const StageTable> stages,
                             const TaskFunctions& functions, News news)
    : slots_(slots), state_(std::make_shared<State>(
                         std::move(stages), functions, std::move(news))) {
  assert(slots > 0);
}

FunctionSlots::~FunctionSlots() {
  stop({});
}

void FunctionSlots::add(std::vector<FunctionLaunch> tasks) {
  std::size_t woken = 0;
  {
    std::lock_guard lock{state_->mutex};
    if (state_->stopped)
      return;
    std::move(tasks.begin(), tasks.end(), std::back_inserter(state_->queue));
    woken = std::min(state_->idle, tasks.size());
    while (state_->slots.size() < static_cast<std::size_t>(slots_)
           && state_->idle + (state_->slots.size() - threads_.size())
                  < state_->queue.size())
      state_->slots.emplace_back();
  }
  start_threads();
  for (std::size_t i = 0; i < woken; ++i)
    state_->changed.notify_one();
}

void FunctionSlots::start_threads() {
  for (auto i = threads_.size(); i < state_->slots.size(); ++i)
    threads_.emplace_back(
        [state = state_, &slot = state_->slots[i]] { state->work(slot); });
}

bool FunctionSlots::kill(const TaskAttempt& task) {
  std::optional<std::stop_source> stop;
  // What it holds is freed outside of the lock.
  std::optional<FunctionLaunch> waiting;
  auto is_news = false;
  {
    std::lock_guard lock{state_->mutex};
    for (auto& slot : state_->slots)
      if (slot.task == task) {
        slot.stop_is_used = true;
        stop = slot.stop;
      }
    auto& queue = state_->queue;
    auto i = std::find_if(queue.begin(), queue.end(),
                          [&](const auto& x) { return x.task.id == task; });
    if (i != queue.end()) {
      waiting = std::move(*i);
      queue.erase(i);
      TaskStatus status;
      status.id = task;
      status.state = TaskState::KILLED;
      is_news = state_->note(std::move(status));
    }
  }
  // It calls what functions have set up for it.
  if (stop)
    stop->request_stop();
  if (is_news)
    state_->news();
  return stop || waiting;
}

std::vector<TaskAttempt> FunctionSlots::take_back(std::size_t count_max) {
  std::vector<FunctionLaunch> taken;
  {
    std::lock_guard lock{state_->mutex};
    auto& queue = state_->queue;
    for (; taken.size() < count_max && !queue.empty(); queue.pop_back())
      taken.push_back(std::move(queue.back()));
  }
  std::vector<TaskAttempt> result;
  result.reserve(taken.size());
  for (const auto& x : taken)
    result.push_back(x.task.id);
  return result;
}

FunctionSlots::Ends FunctionSlots::take_ended() {
  std::lock_guard lock{state_->mutex};
  return std::exchange(state_->ended, {});
}

bool FunctionSlots::is_idle() const {
  std::lock_guard lock{state_->mutex};
  return state_->running == 0 && state_->queue.empty();
}

void FunctionSlots::tell_to_stop() {
  std::vector<std::stop_source> running;
  std::deque<FunctionLaunch> waiting;
  {
    std::lock_guard lock{state_->mutex};
    state_->stopped = true;
    waiting.swap(state_->queue);
    for (auto& slot : state_->slots)
      if (slot.task)
        running.push_back(slot.stop);
  }
  state_->changed.notify_all();
  for (auto& stop : running)
    stop.request_stop();
}

bool FunctionSlots::stop(std::chrono::milliseconds patience) {
  tell_to_stop();
  auto all_returned = false;
  {
    std::unique_lock lock{state_->mutex};
    all_returned = state_->all_returned.wait_for(
        lock, patience, [this] { return state_->running == 0; });
  }
  for (auto& thread : threads_)
    if (all_returned)
      thread.join();
    else
      thread.detach();
  threads_.clear();
  return all_returned;
}

} // namespace stoker::executor
