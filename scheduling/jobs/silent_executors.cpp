#include "scheduling/jobs/silent_executors.hpp"

#include "scheduling/common/wake_up.hpp"

namespace stoker {

void SilentExecutors::expect(int exec_id, Instant now) {
  if (!to_end_.contains(exec_id) && !heard_.contains(exec_id))
    heard_.set(exec_id, now);
}

void SilentExecutors::hear(int exec_id, Instant now) {
  if (heard_.contains(exec_id))
    heard_.set(exec_id, now);
}

void SilentExecutors::forget(int exec_id) {
  heard_.erase(exec_id);
}

void SilentExecutors::ended(int exec_id) {
  heard_.erase(exec_id);
  to_end_.erase(exec_id);
}

std::vector<int> SilentExecutors::take_silent(const HeartbeatConfig& config,
                                              Instant now) {
  std::vector<int> result;
  auto longest = heard_.first();
  if (longest && *longest + config.timeout + config.interval <= now) {
    auto all = heard_.all();
    for (const auto& [exec_id, heard] : all)
      heard_.set(exec_id, now);
  }
  while (heard_.first() && *heard_.first() + config.timeout <= now) {
    auto exec_id = heard_.first_executor();
    heard_.erase(exec_id);
    to_end_.set(exec_id, now);
    result.push_back(exec_id);
  }
  return result;
}

std::vector<int> SilentExecutors::take_due(const HeartbeatConfig& config,
                                           Instant now) {
  std::vector<int> result;
  while (to_end_.first() && *to_end_.first() <= now) {
    result.push_back(to_end_.first_executor());
    to_end_.set(result.back(), now + config.interval);
  }
  return result;
}

std::optional<Instant>
SilentExecutors::next(const HeartbeatConfig& config) const {
  auto silent = heard_.first();
  if (silent)
    *silent += config.timeout;
  return earlier(silent, to_end_.first());
}

} // namespace stoker
