#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/app_client.hpp"
#include "scheduling/application/output_progress.hpp"

namespace stoker {

/// Carries what an application learns, and what its executors write, to a thread
/// that waits for it.
class AppClientInbox {
public:
  struct Content {
    std::vector<ApplicationNews> news;
    std::vector<OutputNews> output;

    /// Why the run cannot go on, if it cannot.
    std::optional<std::string> failure;
  };

  /// What an APP CLIENT is given. It may outlive all other owners of the inbox.
  static ApplicationNewsSink
  sink_of(const std::shared_ptr<AppClientInbox>& inbox) {
    return [inbox](const ApplicationNews& x) { inbox->put(x); };
  }

  /// What an OUTPUT COLLECTOR is given.
  static std::function<void(std::vector<OutputNews>)>
  output_sink_of(const std::shared_ptr<AppClientInbox>& inbox) {
    return [inbox](std::vector<OutputNews> x) { inbox->put(std::move(x)); };
  }

  /// What somebody is given whose failure ends the run.
  static std::function<void(const std::string&)>
  failure_sink_of(const std::shared_ptr<AppClientInbox>& inbox) {
    return [inbox](const std::string& why) { inbox->put(why); };
  }

  /// Returns all that has come, in order, waiting at most so long for something.
  Content take(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    arrived_.wait_for(lock, patience, [this] {
      return !content_.news.empty() || !content_.output.empty()
             || content_.failure;
    });
    return std::exchange(content_, {});
  }

private:
  void put(const ApplicationNews& x) {
    {
      std::lock_guard lock{mutex_};
      content_.news.push_back(x);
    }
    arrived_.notify_one();
  }

  void put(std::vector<OutputNews> x) {
    {
      std::lock_guard lock{mutex_};
      content_.output.insert(content_.output.end(),
                             std::make_move_iterator(x.begin()),
                             std::make_move_iterator(x.end()));
    }
    arrived_.notify_one();
  }

  void put(const std::string& failure) {
    {
      std::lock_guard lock{mutex_};
      content_.failure = failure;
    }
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  Content content_;
};

} // namespace stoker
