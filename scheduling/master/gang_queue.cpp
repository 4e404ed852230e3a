#include "scheduling/master/gang_queue.hpp"

#include <cassert>
#include <utility>

namespace stoker {

bool GangQueue::add(QueuePosition gang, Instant when) {
  auto added = waiting_.emplace(gang, when).second;
  if (added)
    by_time_.emplace(when, gang);
  return added;
}

void GangQueue::erase(QueuePosition gang) {
  auto node = waiting_.extract(gang);
  if (node.empty())
    return;
  by_time_.erase({node.mapped(), gang});
  ready_.erase(gang);
  if (reserving_ == gang)
    reserving_.reset();
}

void GangQueue::advance(Instant now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    ready_.insert(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
  }
}

void GangQueue::wait_anew(QueuePosition gang, Instant when) {
  erase(gang);
  add(gang, when);
}

void GangQueue::begin(QueuePosition gang) {
  assert(waiting_.contains(gang) && !reserving_);
  reserving_ = gang;
}

void GangQueue::postpone(Duration by) {
  by_time_.clear();
  for (auto& [gang, when] : waiting_)
    if (!ready_.contains(gang)) {
      when += by;
      by_time_.emplace(when, gang);
    }
}

std::optional<QueuePosition> GangQueue::first_ready(QueuePosition from) const {
  auto i = ready_.lower_bound(from);
  return i == ready_.end() ? std::nullopt : std::optional{*i};
}

std::optional<Instant> GangQueue::may_reserve(QueuePosition gang) const {
  auto i = waiting_.find(gang);
  return i == waiting_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<std::string> GangQueue::invariant_violation() const {
  for (const auto& gang : ready_)
    if (!waiting_.contains(gang))
      return "a gang may reserve that does not wait";
  if (reserving_ && !ready_.contains(*reserving_))
    return "a gang reserves that has not waited for long enough";
  if (by_time_.size() + ready_.size() != waiting_.size())
    return "a gang that waits is not waited for";
  return std::nullopt;
}

} // namespace stoker
