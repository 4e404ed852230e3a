#include "scheduling/jobs/silent_executors.hpp"

#include "scheduling/common/wake_up.hpp"

namespace stoker {

void SilentExecutors::expect(int exec_id, Instant now) {
  if (!to_end_.contains(exec_id) && heard_.emplace(exec_id, now).second)
    by_heard_.emplace(now, exec_id);
}

void SilentExecutors::hear(int exec_id, Instant now) {
  auto known = heard_.find(exec_id);
  if (known == heard_.end())
    return;
  auto node = by_heard_.extract({known->second, exec_id});
  node.value().first = known->second = now;
  by_heard_.insert(std::move(node));
}

void SilentExecutors::forget(int exec_id) {
  if (auto known = heard_.extract(exec_id))
    by_heard_.erase({known.mapped(), exec_id});
}

void SilentExecutors::ended(int exec_id) {
  forget(exec_id);
  to_end_.erase(exec_id);
}

std::vector<int> SilentExecutors::take_silent(const HeartbeatConfig& config,
                                              Instant now) {
  std::vector<int> result;
  if (by_heard_.empty())
    return result;
  if (by_heard_.begin()->first + config.timeout + config.interval <= now) {
    by_heard_.clear();
    for (auto& [exec_id, heard] : heard_) {
      heard = now;
      by_heard_.emplace(now, exec_id);
    }
    return result;
  }
  while (!by_heard_.empty()
         && by_heard_.begin()->first + config.timeout <= now) {
    auto exec_id = by_heard_.begin()->second;
    forget(exec_id);
    to_end_.emplace(exec_id, now);
    result.push_back(exec_id);
  }
  return result;
}

std::vector<int> SilentExecutors::take_due(const HeartbeatConfig& config,
                                           Instant now) {
  std::vector<int> result;
  for (auto& [exec_id, when] : to_end_)
    if (when <= now) {
      result.push_back(exec_id);
      when = now + config.interval;
    }
  return result;
}

std::optional<Instant>
SilentExecutors::next(const HeartbeatConfig& config) const {
  std::optional<Instant> result;
  if (!by_heard_.empty())
    result = by_heard_.begin()->first + config.timeout;
  for (const auto& [exec_id, when] : to_end_)
    result = earlier(result, when);
  return result;
}

} // namespace stoker
