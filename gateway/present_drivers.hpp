#pragma once

#include <mutex>
#include <set>

#include "messages/ids.hpp"

namespace stoker {

/// The endpoints of drivers that a peer of this process stands for. May be used by any
/// thread.
class PresentDrivers {
public:
  void add(const EndpointId& x) {
    std::lock_guard lock{mutex_};
    endpoints_.insert(x);
  }

  void erase(const EndpointId& x) {
    std::lock_guard lock{mutex_};
    endpoints_.erase(x);
  }

  [[nodiscard]] bool contains(const EndpointId& x) const {
    std::lock_guard lock{mutex_};
    return endpoints_.contains(x);
  }

private:
  mutable std::mutex mutex_;
  std::set<EndpointId> endpoints_;
};

} // namespace stoker
