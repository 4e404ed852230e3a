#include "scheduling/jobs/pending_tasks.hpp"

#include <cassert>

namespace stoker {

PendingTasks::PendingTasks(int tasks, const TaskPlaces& places)
    : pending_(index(tasks), true), size_(tasks) {
  if (places.empty())
    return;
  unplaced_.emplace();
  for (auto task = tasks - 1; task >= 0; --task)
    list(task, places.of(task));
}

void PendingTasks::list(int task, std::span<const TaskPlace> places) {
  for (const auto& place : places) {
    if (place.exec_id)
      by_process_[*place.exec_id].push_back(task);
    by_host_[place.host].push_back(task);
  }
  if (places.empty() && unplaced_)
    unplaced_->push_back(task);
}

void PendingTasks::add(int task, std::span<const TaskPlace> places) {
  assert(!contains(task));
  pending_[index(task)] = true;
  ++size_;
  if (task < next_)
    again_.push_back(task);
  list(task, places);
}

void PendingTasks::remove(int task) {
  assert(contains(task));
  pending_[index(task)] = false;
  --size_;
}

std::optional<int> PendingTasks::last_of(List& list) {
  while (!list.empty() && !contains(list.back()))
    list.pop_back();
  return list.empty() ? std::nullopt : std::optional{list.back()};
}

std::optional<int> PendingTasks::take_from(List& list) {
  auto result = last_of(list);
  if (result) {
    list.pop_back();
    remove(*result);
  }
  return result;
}

template <class Lists, class Key>
PendingTasks::List* PendingTasks::list_of(Lists& lists, const Key& key) {
  auto found = lists.find(key);
  if (found == lists.end())
    return nullptr;
  if (last_of(found->second))
    return &found->second;
  lists.erase(found);
  return nullptr;
}

bool PendingTasks::wants_process(int exec_id) {
  return list_of(by_process_, exec_id) != nullptr;
}

bool PendingTasks::wants_host(const std::string& host) {
  return list_of(by_host_, host) != nullptr;
}

std::optional<int> PendingTasks::take_for_process(int exec_id) {
  auto* list = list_of(by_process_, exec_id);
  return list != nullptr ? take_from(*list) : std::nullopt;
}

std::optional<int> PendingTasks::take_on_host(const std::string& host) {
  auto* list = list_of(by_host_, host);
  return list != nullptr ? take_from(*list) : std::nullopt;
}

std::optional<int> PendingTasks::take_unplaced() {
  return unplaced_ ? take_from(*unplaced_) : take_anywhere();
}

std::optional<int> PendingTasks::take_anywhere() {
  if (auto task = take_from(again_))
    return task;
  while (next_ < static_cast<int>(pending_.size())) {
    auto task = next_++;
    if (contains(task)) {
      remove(task);
      return task;
    }
  }
  return std::nullopt;
}

} // namespace stoker
