#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "actors/app_client.hpp"

namespace stoker {

/// Carries what an application learns to a thread that waits for it.
class AppClientInbox {
public:
  /// What an APP CLIENT is given. It may outlive all other owners of the inbox.
  static ApplicationNewsSink
  sink_of(const std::shared_ptr<AppClientInbox>& inbox) {
    return [inbox](const ApplicationNews& x) { inbox->put(x); };
  }

  /// Returns all news in order, waiting at most so long for the first.
  std::vector<ApplicationNews> take(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    arrived_.wait_for(lock, patience, [this] { return !news_.empty(); });
    return std::exchange(news_, {});
  }

private:
  void put(const ApplicationNews& x) {
    {
      std::lock_guard lock{mutex_};
      news_.push_back(x);
    }
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<ApplicationNews> news_;
};

} // namespace stoker
