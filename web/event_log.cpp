#include "web/event_log.hpp"

#include <utility>

#include "web/event_decisions.hpp"

namespace stoker {

void EventLog::begin(const StoredState& stored) {
  lines_.emplace(stored);
}

void EventLog::note(const Change& change, const ClusterCopy& before,
                    Instant at) {
  if (!lines_)
    return;
  for (auto& line : lines_->of({change})) {
    events_.push_back(
        {++last_number_, at, std::move(line), decision_behind(change, before)});
    if (events_.size() > limit_)
      events_.pop_front();
  }
}

} // namespace stoker
