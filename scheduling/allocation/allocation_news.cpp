#include "scheduling/allocation/allocation_news.hpp"

#include <string>

namespace stoker {

namespace {

using Meaning = std::optional<ExecutorAllocationEvent>;

/// "host:port" without the port.
std::string host_of(const ExecutorAdded& x) {
  return x.host_port.substr(0, x.host_port.rfind(':'));
}

struct MeaningForExecutors {
  Meaning operator()(const ApplicationConnected& x) const {
    return LeaderFollowed{x.epoch, true};
  }
  Meaning operator()(const ApplicationLeaderChanged& x) const {
    return LeaderFollowed{x.epoch, false};
  }
  Meaning operator()(const ApplicationDisconnected&) const {
    return LeaderLost{};
  }
  Meaning operator()(const ApplicationSearches&) const {
    return std::nullopt;
  }
  Meaning operator()(const ApplicationDead&) const {
    return LeaderLost{};
  }
  Meaning operator()(const ExecutorAdded& x) const {
    return ExecutorGranted{x.id, host_of(x)};
  }
  Meaning operator()(const ExecutorUpdated& x) const {
    // One whose worker leaves has been replaced as if it had ended.
    if (is_finished(x.state) || x.state == ExecutorState::DECOMMISSIONED)
      return GrantedExecutorEnded{x.id, is_failure(x)};
    return std::nullopt;
  }
  Meaning operator()(const WorkerRemoved&) const {
    return std::nullopt;
  }
};

} // namespace

std::optional<ExecutorAllocationEvent>
allocation_event_of(const ApplicationNews& x) {
  return std::visit(MeaningForExecutors{}, x);
}

} // namespace stoker
