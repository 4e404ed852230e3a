#pragma once

#include <map>
#include <optional>
#include <string>

#include "messages/named_resources.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/placement/capacity_index.hpp"
#include "scheduling/placement/executor_sizing.hpp"
#include "scheduling/placement/pool.hpp"
#include "scheduling/placement/worker_account.hpp"

namespace stoker {

/// The workers that run one kind of programs, found by what they have: free, with
/// those who want it, and in all. A worker that runs several kinds is with each of
/// them, so nobody looks at a worker that does not run his programs.
///
/// Invariant: the indexes name exactly the workers that were set, as they were set
/// last: of what is free those that give, of what is there in all those that take
/// part.
class WorkersOfKind {
public:
  explicit WorkersOfKind(WorkerSelectionPolicy policy = {})
      : policy_(policy), all_(policy) {
  }

  // -- workers ----------------------------------------------------------------

  /// What a worker has free.
  void set_free(WorkerKey key, const WorkerAccount& account);

  /// Whether it takes part, and with what. Returns whether that has changed.
  bool set_total(WorkerKey key, const WorkerAccount& account);

  /// It does not run such programs any more.
  void erase(WorkerKey key, const WorkerAccount& account);

  /// From now on counts what is free as the sizing of executors needs it. Those that
  /// are there have to be set again.
  void keep_census(ExecutorSize smallest) {
    census_.emplace(smallest);
  }

  // -- who wants it -----------------------------------------------------------

  [[nodiscard]] Pool& pool(const ResourceAmounts& named);
  [[nodiscard]] std::optional<QueuePosition>
  next_to_help(QueuePosition from) const;
  void end_pass();

  // -- queries ----------------------------------------------------------------

  /// Those that have any of the first named resource free, or, without one, a free
  /// core. Null: none has been seen.
  [[nodiscard]] const Pool* find_pool(const ResourceAmounts& named) const;

  /// What they have in all.
  [[nodiscard]] const CapacityIndex& totals() const noexcept {
    return totals_;
  }

  /// The same of those that have a named resource, by how much of it.
  [[nodiscard]] const std::map<int, CapacityIndex>&
  totals_with(const std::string& resource) const;

  /// Unset: it is not kept.
  [[nodiscard]] const std::optional<FreeCensus>& census() const noexcept {
    return census_;
  }

  /// Whether a worker stands in the indexes as it should. Returns what does not, in
  /// one line.
  [[nodiscard]] std::optional<std::string>
  invariant_violation(WorkerKey key, const WorkerAccount& account) const;

private:
  Pool& pool_of(const std::string& resource);

  WorkerSelectionPolicy policy_;

  /// Those with free cores, and those with some of a named resource.
  Pool all_;
  std::map<std::string, Pool> by_resource_;

  CapacityIndex totals_;
  std::map<std::string, std::map<int, CapacityIndex>> totals_with_;
  std::optional<FreeCensus> census_;
};

} // namespace stoker
