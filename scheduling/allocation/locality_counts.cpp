#include "scheduling/allocation/locality_counts.hpp"

#include <utility>

namespace stoker {

void LocalityCounts::set(StageAttempt id, LocalityHints hints) {
  erase(id);
  if (hints.tasks == 0 && hints.by_host.empty())
    return;
  add(hints, 1);
  stages_.emplace(id, std::move(hints));
}

void LocalityCounts::erase(StageAttempt id) {
  auto i = stages_.find(id);
  if (i == stages_.end())
    return;
  add(i->second, -1);
  stages_.erase(i);
}

std::shared_ptr<const LocalityHints> LocalityCounts::total() {
  given_out_ = true;
  return total_;
}

void LocalityCounts::add(const LocalityHints& hints, int sign) {
  if (std::exchange(given_out_, false))
    total_ = std::make_shared<LocalityHints>(*total_);
  total_->tasks += sign * hints.tasks;
  for (const auto& [host, count] : hints.by_host) {
    auto i = total_->by_host.try_emplace(host).first;
    i->second += sign * count;
    if (i->second == 0)
      total_->by_host.erase(i);
  }
}

} // namespace stoker
