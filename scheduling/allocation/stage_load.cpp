#include "scheduling/allocation/stage_load.hpp"

#include <algorithm>

namespace stoker {

template <class F>
bool StageLoad::change(StageAttempt id, F&& f) {
  auto i = attempts_.find(id);
  if (i == attempts_.end())
    return false;
  auto& x = i->second;
  auto count = [this](const Attempt& attempt, int sign) {
    pending_ += sign * attempt.pending();
    pending_copies_ += sign * static_cast<std::int64_t>(attempt.copies.size());
    running_ += sign * attempt.running;
    open_ += attempt.open ? sign : 0;
    running_in_open_ += attempt.open ? sign * attempt.running : 0;
    auto gang = attempt.at_once ? attempt.pending() : 0;
    pending_in_gangs_ += sign * gang;
    if (gang > 0 && sign > 0)
      gangs_.insert(gang);
    else if (gang > 0)
      gangs_.erase(gangs_.find(gang));
  };
  count(x, -1);
  f(x);
  count(x, 1);
  if (!x.open && x.running == 0)
    attempts_.erase(i);
  return true;
}

void StageLoad::submit(StageAttempt id, int tasks, bool at_once) {
  attempts_.try_emplace(id);
  change(id, [&](Attempt& x) {
    x.open = true;
    x.at_once = at_once;
    x.tasks = std::max(tasks, 0);
  });
}

void StageLoad::end(StageAttempt id) {
  change(id, [](Attempt& x) {
    x.open = false;
    x.tasks = 0;
    x.begun.clear();
    x.copies.clear();
  });
}

bool StageLoad::begin_task(StageAttempt id, int task, bool speculative) {
  return change(id, [&](Attempt& x) {
    ++x.running;
    if (speculative)
      x.copies.erase(task);
    else if (x.open)
      x.begun.insert(task);
  });
}

void StageLoad::end_task(StageAttempt id) {
  change(id, [](Attempt& x) { --x.running; });
}

void StageLoad::give_back(StageAttempt id, int task) {
  change(id, [&](Attempt& x) { x.begun.erase(task); });
}

bool StageLoad::want_copy(StageAttempt id, int task) {
  auto taken = false;
  change(id, [&](Attempt& x) {
    taken = x.open;
    if (taken)
      x.copies.insert(task);
  });
  return taken;
}

void StageLoad::drop_copy(StageAttempt id, int task) {
  change(id, [&](Attempt& x) { x.copies.erase(task); });
}

} // namespace stoker
