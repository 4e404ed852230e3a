#include "scheduling/allocation/idle_executors.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <string_view>

namespace stoker {

namespace {

/// A number's digits, without memory of their own on the heap.
class Digits {
public:
  explicit Digits(int x)
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), x).ptr) {
  }

  [[nodiscard]] std::string_view view() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

private:
  std::array<char, 12> text_{};
  const char* end_;
};

} // namespace

bool IdleExecutors::AsText::operator()(int a, int b) const {
  return Digits{a}.view() < Digits{b}.view();
}

IdleExecutors::IdleExecutors(Duration timeout,
                             std::optional<Duration> cached_timeout)
    : timeout_(timeout), cached_timeout_(cached_timeout) {
}

void IdleExecutors::add(Instant now, int exec_id) {
  auto [i, is_new] = executors_.try_emplace(exec_id);
  if (!is_new)
    return;
  i->second.serial = ++last_serial_;
  i->second.idle_since = now;
  place(exec_id, i->second);
}

void IdleExecutors::remove(int exec_id) {
  auto* x = find(exec_id);
  if (x == nullptr)
    return;
  take_out(exec_id, *x);
  leaving_ -= x->leaving ? 1 : 0;
  blocks_.drop_executor(exec_id);
  executors_.erase(exec_id);
}

IdleExecutors::Serial IdleExecutors::begin_task(int exec_id) {
  auto* x = find(exec_id);
  if (x == nullptr)
    return 0;
  ++x->tasks;
  take_out(exec_id, *x);
  return x->serial;
}

void IdleExecutors::end_task(Instant now, int exec_id, Serial serial) {
  auto* x = find(exec_id);
  if (x == nullptr || x->serial != serial)
    return;
  assert(x->tasks > 0);
  if (--x->tasks > 0)
    return;
  x->idle_since = now;
  place(exec_id, *x);
}

void IdleExecutors::store_block(int exec_id, int dataset, int partition) {
  auto* x = find(exec_id);
  if (x == nullptr)
    return;
  blocks_.store(exec_id, dataset, partition);
  place(exec_id, *x);
}

void IdleExecutors::drop_block(int exec_id, int dataset, int partition) {
  auto* x = find(exec_id);
  if (x == nullptr)
    return;
  blocks_.drop(exec_id, dataset, partition);
  place(exec_id, *x);
}

void IdleExecutors::drop_dataset(int dataset) {
  for (auto exec_id : blocks_.drop_dataset(dataset))
    place(exec_id, *find(exec_id));
}

void IdleExecutors::look(Instant now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    auto exec_id = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    find(exec_id)->place = Place::due;
    due_.insert(exec_id);
  }
}

std::vector<int> IdleExecutors::first(const std::set<int, AsText>& x,
                                      std::size_t count) {
  std::vector<int> result;
  for (auto exec_id : x) {
    if (result.size() >= count)
      break;
    result.push_back(exec_id);
  }
  return result;
}

std::vector<int> IdleExecutors::first_due(std::size_t count) const {
  return first(due_, count);
}

std::vector<int> IdleExecutors::first_idle(std::size_t count) const {
  auto idle = due_;
  for (const auto& [when, exec_id] : waiting_)
    idle.insert(exec_id);
  std::erase_if(idle, [&](int exec_id) { return blocks_.has_any(exec_id); });
  return first(idle, count);
}

void IdleExecutors::ask(const std::vector<int>& exec_ids) {
  for (auto exec_id : exec_ids) {
    auto* x = find(exec_id);
    assert(x != nullptr && x->place != Place::none);
    take_out(exec_id, *x);
    x->asked = true;
  }
}

void IdleExecutors::answer(const std::vector<int>& asked,
                           const std::vector<int>& leaving) {
  auto change = [this](int exec_id, bool leaves) {
    auto* x = find(exec_id);
    // It may be gone since, and another one may have its number.
    if (x == nullptr || !x->asked)
      return;
    x->asked = false;
    x->leaving = leaves;
    leaving_ += leaves ? 1 : 0;
    place(exec_id, *x);
  };
  for (auto exec_id : leaving)
    change(exec_id, true);
  for (auto exec_id : asked)
    change(exec_id, false);
}

IdleExecutors::Executor* IdleExecutors::find(int exec_id) {
  auto i = executors_.find(exec_id);
  return i == executors_.end() ? nullptr : &i->second;
}

std::optional<Instant> IdleExecutors::deadline(int exec_id,
                                               const Executor& x) const {
  if (x.tasks > 0 || x.asked || x.leaving)
    return std::nullopt;
  if (!blocks_.has_any(exec_id))
    return x.idle_since + timeout_;
  if (!cached_timeout_)
    return std::nullopt;
  return x.idle_since + std::max(timeout_, *cached_timeout_);
}

void IdleExecutors::place(int exec_id, Executor& x) {
  auto when = deadline(exec_id, x);
  if (x.place != Place::none && when && *when == x.deadline)
    return;
  take_out(exec_id, x);
  if (!when)
    return;
  waiting_.emplace(*when, exec_id);
  x.place = Place::waiting;
  x.deadline = *when;
}

void IdleExecutors::take_out(int exec_id, Executor& x) {
  if (x.place == Place::waiting)
    waiting_.erase({x.deadline, exec_id});
  else if (x.place == Place::due)
    due_.erase(exec_id);
  x.place = Place::none;
}

} // namespace stoker
