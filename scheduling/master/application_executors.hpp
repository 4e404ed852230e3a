#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "scheduling/master/records.hpp"

namespace stoker {

/// The present executors of one application.
///
/// Invariants: `cores` is the sum over the present ones; executors on preferred
/// hosts are counted for each host that is preferred; numbers are never used
/// again.
class ApplicationExecutors {
public:
  /// The number of the next executor that is started.
  [[nodiscard]] int next_id() const noexcept {
    return next_id_;
  }
  void set_next_id(int next);

  /// Adds a present one. @pre Its number is new.
  void add(Executor executor);

  /// Takes a present one out. @pre It is there.
  Executor remove(int exec_id);

  /// It runs since `now`.
  void set_running(int exec_id, Instant now);

  /// Wants so many executors on hosts, from now on.
  void prefer(std::map<std::string, int> hosts);

  // -- queries ----------------------------------------------------------------

  /// By number.
  [[nodiscard]] const std::map<int, Executor>& present() const noexcept {
    return present_;
  }

  /// Nothing: no such executor is present.
  [[nodiscard]] const Executor* find(int exec_id) const;

  /// The one that runs an instance. Nothing: none does.
  [[nodiscard]] const Executor* find_instance(int index) const;

  /// Cores of all present ones.
  [[nodiscard]] int cores() const noexcept {
    return cores_;
  }

  [[nodiscard]] int count() const noexcept {
    return static_cast<int>(present_.size());
  }

  [[nodiscard]] const std::map<std::string, int>&
  preferred_hosts() const noexcept {
    return preferred_hosts_;
  }

  /// How many there are on a preferred host.
  [[nodiscard]] int on_preferred_host(const std::string& host) const;

  /// Workers that were given any of its executors.
  [[nodiscard]] const std::set<WorkerKey>& workers() const noexcept {
    return workers_;
  }

  /// An executor that ended was there.
  void note_worker(WorkerKey worker) {
    workers_.insert(worker);
  }

  /// Recomputes the figures. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  [[nodiscard]] std::map<std::string, int> count_preferred() const;

  std::map<int, Executor> present_;
  std::set<WorkerKey> workers_;
  std::map<std::string, int> preferred_hosts_;
  std::map<std::string, int> on_preferred_hosts_;
  int next_id_ = 0;
  int cores_ = 0;
};

} // namespace stoker
