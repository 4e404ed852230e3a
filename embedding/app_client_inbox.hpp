#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <variant>
#include <vector>

#include "actors/app_client.hpp"

namespace stoker {

struct AppConnected {
  AppId id;
};
struct AppDisconnected {
  std::string reason;
};
struct AppSearching {
  std::string reason;
};
struct AppDead {
  std::string reason;
};

using AppNews
    = std::variant<AppConnected, AppDisconnected, AppSearching, AppDead,
                   ExecutorAdded, ExecutorUpdated, WorkerRemoved>;

/// Carries what an application learns to a thread that waits for it.
class AppClientInbox : public AppClientListener {
public:
  void connected(const AppId& x) override {
    put(AppConnected{x});
  }
  void disconnected(const std::string& x) override {
    put(AppDisconnected{x});
  }
  void searching(const std::string& x) override {
    put(AppSearching{x});
  }
  void dead(const std::string& x) override {
    put(AppDead{x});
  }
  void executor_added(const ExecutorAdded& x) override {
    put(x);
  }
  void executor_updated(const ExecutorUpdated& x) override {
    put(x);
  }
  void worker_removed(const WorkerRemoved& x) override {
    put(x);
  }

  /// Returns all news in order, waiting at most so long for the first.
  std::vector<AppNews> take(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    arrived_.wait_for(lock, patience, [this] { return !news_.empty(); });
    return std::exchange(news_, {});
  }

private:
  void put(AppNews x) {
    {
      std::lock_guard lock{mutex_};
      news_.push_back(std::move(x));
    }
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<AppNews> news_;
};

} // namespace stoker
