#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "messages/application.hpp"
#include "messages/executor.hpp"

namespace stoker {

/// How far an application of instances has come, as its driver hears it.
class RunProgress {
public:
  explicit RunProgress(int count) : count_(count) {
  }

  /// Each returns whether it was news: a master repeats what a driver may not
  /// have heard.
  bool added(const ExecutorAdded& x);
  bool updated(const ExecutorUpdated& x);

  /// The master has ended or refused the application, or is lost.
  void dead(const std::string& reason);

  [[nodiscard]] int count() const noexcept {
    return count_;
  }
  [[nodiscard]] int done() const noexcept {
    return done_;
  }
  [[nodiscard]] int running() const noexcept {
    return static_cast<int>(running_.size());
  }

  /// Whether nothing more will happen.
  [[nodiscard]] bool over() const noexcept {
    return done_ == count_ || dead_reason_.has_value();
  }

  /// Why the application is over before its instances were done.
  [[nodiscard]] const std::optional<std::string>& dead_reason() const noexcept {
    return dead_reason_;
  }

  /// 0 when all instances are done; else the exit status of the last command
  /// that failed; else 1.
  [[nodiscard]] int exit_status() const noexcept;

  /// The instance that an executor runs; its number when it has none.
  [[nodiscard]] int index_of(int exec_id) const;

private:
  int count_;
  int done_ = 0;

  /// Executors that have not ended.
  std::set<int> running_;

  /// The instance that each executor runs, or ran.
  std::map<int, int> indices_;
  std::optional<int> failure_;
  std::optional<std::string> dead_reason_;
};

} // namespace stoker
