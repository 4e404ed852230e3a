#pragma once

#include <mutex>
#include <set>

#include "messages/ids.hpp"

namespace stoker {

/// The endpoints of drivers and workers that peers of this process stand for. Two peers may
/// stand for one worker for a while. May be used by any thread.
class PresentPeers {
public:
  void add(const EndpointId& x) {
    std::lock_guard lock{mutex_};
    endpoints_.insert(x);
  }

  /// Once.
  void erase(const EndpointId& x) {
    std::lock_guard lock{mutex_};
    if (auto found = endpoints_.find(x); found != endpoints_.end())
      endpoints_.erase(found);
  }

  [[nodiscard]] bool contains(const EndpointId& x) const {
    std::lock_guard lock{mutex_};
    return endpoints_.contains(x);
  }

private:
  mutable std::mutex mutex_;
  std::multiset<EndpointId> endpoints_;
};

} // namespace stoker
