#include "scheduling/master/ended_executors.hpp"

#include <algorithm>
#include <cassert>

namespace stoker {

void EndedExecutors::set_count_ever(std::uint64_t count) {
  count_ = std::max(count_, count);
}

void EndedExecutors::insert(StoredExecutor&& executor, bool open) {
  Entry entry{std::move(executor), false};
  entry.may_come_back
      = open && entry.stored.index && entry.stored.state == ExecutorState::LOST;
  coming_ += entry.may_come_back ? 1 : 0;
  [[maybe_unused]] auto added = table_.insert(std::move(entry)).second;
  assert(added);
}

void EndedExecutors::add(StoredExecutor executor, bool open) {
  executor.end_number = ++count_;
  insert(std::move(executor), open);
}

void EndedExecutors::restore(StoredExecutor executor, bool open) {
  if (find(executor.exec_id) != nullptr)
    return;
  if (executor.end_number == 0
      || table_.get<ByNumber>().contains(executor.end_number))
    return add(std::move(executor), open);
  count_ = std::max(count_, executor.end_number);
  insert(std::move(executor), open);
}

const StoredExecutor& EndedExecutors::set_ended_well(int exec_id,
                                                     Instant when) {
  auto executor = take(exec_id);
  executor.ended = when;
  executor.state = ExecutorState::EXITED;
  executor.exit_status = 0;
  executor.message.reset();
  add(std::move(executor), false);
  return *find(exec_id);
}

const StoredExecutor* EndedExecutors::take_late_end(int exec_id,
                                                    const LateEnd& end) {
  auto& by_id = table_.get<ById>();
  auto i = by_id.find(exec_id);
  if (i == by_id.end())
    return nullptr;
  auto is_news = false;
  by_id.modify(i, [&](Entry& x) { is_news = end.apply_to(x.stored); });
  return is_news ? &i->stored : nullptr;
}

StoredExecutor EndedExecutors::take(int exec_id) {
  auto& by_id = table_.get<ById>();
  auto i = by_id.find(exec_id);
  assert(i != by_id.end());
  auto result = i->stored;
  coming_ -= i->may_come_back ? 1 : 0;
  by_id.erase(i);
  return result;
}

void EndedExecutors::is_done(int index) {
  auto& by_index = table_.get<ByIndex>();
  // Each leaves the range when it changes.
  for (auto i = by_index.find(index); i != by_index.end();
       i = by_index.find(index)) {
    by_index.modify(i, [](Entry& x) { x.may_come_back = false; });
    --coming_;
  }
}

void EndedExecutors::heard(EndNumber last) {
  // What was never told cannot have been heard.
  heard_ = std::max(heard_, std::min(last, EndNumber{count_}));
}

std::vector<StoredExecutor> EndedExecutors::forget(int retained) {
  std::vector<StoredExecutor> result;
  auto& by_age = table_.get<ByAge>();
  while (size() - coming_ > retained) {
    auto oldest = by_age.begin();
    if (oldest->stored.index && oldest->number() > heard_.value)
      break;
    result.push_back(oldest->stored);
    by_age.erase(oldest);
  }
  return result;
}

const StoredExecutor* EndedExecutors::find(int exec_id) const {
  const auto& by_id = table_.get<ById>();
  auto i = by_id.find(exec_id);
  return i == by_id.end() ? nullptr : &i->stored;
}

std::optional<std::string> EndedExecutors::invariant_violation() const {
  const auto& all = table_.get<ByNumber>();
  if (!all.empty() && all.rbegin()->number() > count_)
    return "an executor ended as a later one than the last";
  auto coming = std::count_if(all.begin(), all.end(),
                              [](const auto& x) { return x.may_come_back; });
  if (coming != coming_)
    return "the number of executors that may come back is wrong";
  return std::nullopt;
}

} // namespace stoker
