#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "messages/descriptions.hpp"
#include "scheduling/application/known_executors.hpp"
#include "scheduling/common/instance_end.hpp"

namespace stoker {

/// How far an application of instances has come, as it learns from its
/// master.
class RunProgress {
public:
  explicit RunProgress(Instances instances) : instances_(std::move(instances)) {
  }

  /// Each returns whether it was news: a master repeats what may have been lost.
  bool added(const ExecutorAdded& x);

  /// One that was lost may run again, or may have ended since: its worker came
  /// back.
  bool updated(const ExecutorUpdated& x);

  /// The application is over before its instances were done.
  void dead(const ApplicationDead& x);

  [[nodiscard]] int count() const noexcept {
    return instances_.count;
  }

  /// How many have done what they should.
  [[nodiscard]] int done() const noexcept {
    return static_cast<int>(done_.size());
  }

  /// How many have failed for good, while the others go on.
  [[nodiscard]] int failed() const noexcept {
    return static_cast<int>(failed_.size());
  }
  [[nodiscard]] bool has_failed(int index) const {
    return failed_.contains(index);
  }

  /// Returns true if an instance is done, or has failed for good.
  [[nodiscard]] bool is_over(int index) const {
    return done_.contains(index) || has_failed(index);
  }
  [[nodiscard]] int running() const noexcept {
    return executors_.running();
  }

  /// Whether an executor has not ended, as far as is known.
  [[nodiscard]] bool is_running(int exec_id) const {
    return executors_.is_running(exec_id);
  }

  /// Whether nothing more will happen.
  [[nodiscard]] bool over() const noexcept {
    return done() + failed() == count() || end_.has_value();
  }

  /// Why the application is over before its instances were done.
  [[nodiscard]] const std::optional<ApplicationDead>& end() const noexcept {
    return end_;
  }

  /// 0 when all instances are done. Else the exit status of the command that failed for
  /// good: the first one, if the others went on, or the last. Else 1: what was started again
  /// is not why it is over.
  [[nodiscard]] int exit_status() const noexcept;

  /// The instance that an executor runs; its number when it has none.
  [[nodiscard]] int index_of(int exec_id) const;

  /// Whether an executor was lost with its worker, for all that is known.
  [[nodiscard]] bool is_lost(int exec_id) const {
    return executors_.is_lost(exec_id);
  }

private:
  void note_failure(int index, InstanceEnd end, int exit_status);

  Instances instances_;
  std::set<int> done_;
  std::set<int> failed_;

  /// How often each instance has.
  std::map<int, int> failures_;

  KnownExecutors executors_;

  /// The instance that each executor runs, or ran.
  std::map<int, int> indices_;

  /// What `exit_status` says of a command.
  std::optional<int> failure_;
  std::optional<ApplicationDead> end_;
};

} // namespace stoker
