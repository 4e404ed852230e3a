#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "messages/ids.hpp"
#include "messages/named_resources.hpp"
#include "messages/resources.hpp"
#include "messages/states.hpp"
#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/placement/capacity_index.hpp"
#include "scheduling/placement/executor_sizing.hpp"
#include "scheduling/placement/named_resources.hpp"
#include "scheduling/placement/placement.hpp"
#include "scheduling/placement/pool.hpp"
#include "scheduling/placement/worker_selection.hpp"

namespace stoker {

/// What an executor, a driver or a reservation holds of one worker.
struct Allotment {
  ExecutorSize size;
  ResourceAddresses resources;
};

/// What an executor takes of the worker that holds it.
struct ExecutorShape {
  ExecutorSize size;
  ResourceAmounts named;

  /// A worker holds at most one, which may be wider.
  bool one_each = false;

  friend auto operator<=>(const ExecutorShape&, const ExecutorShape&) = default;
};

/// What one worker has, and what of it is given away.
struct WorkerAccount {
  WorkerId id;
  ExecutorSize total;
  ExecutorSize used{0, 0};
  NamedResources named;

  /// Only an ALIVE worker that does not rest gives anything.
  WorkerState state = WorkerState::DEAD;
  bool rests = false;

  [[nodiscard]] ExecutorSize free() const noexcept {
    return {total.cores - used.cores, total.memory_mb - used.memory_mb};
  }
};

/// The ledger of all workers: what each has and what of it is given away, and
/// the indexes that find workers by what they have free. `take` and `give_back`
/// are the only ways in which cores, memory and named resources change hands.
///
/// Beside what is free stands who wants it: the applications that would take
/// another executor (`Pool`).
///
/// Invariants: what is used is the sum of what was taken and not given back; no
/// figure is negative, and none is more than the worker has; the indexes name
/// exactly the ALIVE workers with a free core that do not rest.
class Capacity {
public:
  explicit Capacity(WorkerSelectionPolicy policy);

  // -- workers ----------------------------------------------------------------

  /// @pre The key is new.
  void add(WorkerKey key, const WorkerId& id, ExecutorSize total,
           const ResourceAddresses& named, WorkerState state);
  void set_state(WorkerKey key, WorkerState state);

  /// Whether it gives nothing for a while, although it takes part.
  void set_resting(WorkerKey key, bool rests);

  /// @pre The worker is DEAD.
  void remove(WorkerKey key);

  // -- the ledger -------------------------------------------------------------

  /// Gives `count` shares of this size away. Returns which addresses of the
  /// named resources each has. @pre There is room.
  std::vector<ResourceAddresses> take(WorkerKey key, ExecutorSize each,
                                      const ResourceAmounts& named, int count);

  /// Gives just this away. Returns whether there was room; otherwise nothing
  /// has changed.
  [[nodiscard]] bool take(WorkerKey key, const Allotment& what);

  /// @pre It was taken.
  void give_back(WorkerKey key, const Allotment& what);

  // -- who wants it -----------------------------------------------------------

  /// The size of the executors that an application would take, and how many it takes
  /// at once; unset: none.
  void set_wanted(QueuePosition app, const ResourceAmounts& named,
                  std::optional<ExecutorSize> size, int at_once = 1);
  [[nodiscard]] bool is_wanted(QueuePosition app,
                               const ResourceAmounts& named) const;

  /// The next application of this pass, from `from` on, that may find room.
  [[nodiscard]] std::optional<QueuePosition>
  next_to_help(QueuePosition from) const;

  /// All applications have been helped as far as possible.
  void end_pass();

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] const WorkerAccount& account(WorkerKey key) const {
    return accounts_.at(key);
  }

  [[nodiscard]] bool has_room(WorkerKey key, ExecutorSize size,
                              const ResourceAmounts& named) const;

  /// For how many such executors there is room at once, counted up to `enough`.
  /// Without named resources it looks at no more workers than it counts.
  [[nodiscard]] int slots(const ExecutorShape& shape, int enough) const;

  /// The same if all workers that take part were empty.
  [[nodiscard]] int slots_in_all(const ExecutorShape& shape, int enough) const;

  /// What placement has to know of the worker.
  [[nodiscard]] FreeResources free_for(WorkerKey key,
                                       const ResourceAmounts& named) const;

  /// ALIVE workers with a free core.
  [[nodiscard]] const CapacityIndex& free() const noexcept {
    return all_.capacity();
  }

  /// The same for executors that need named resources: fewer workers to look at.
  [[nodiscard]] const CapacityIndex&
  free_with(const ResourceAmounts& named) const;

  /// What workers that take part (ALIVE, UNKNOWN) have in all.
  [[nodiscard]] const CapacityIndex& totals() const noexcept {
    return totals_;
  }

  /// Whether a worker that takes part could hold this if it were empty.
  [[nodiscard]] bool could_hold(ExecutorSize size,
                                const ResourceAmounts& named) const;

  /// Another number whenever a worker begins or ceases to take part.
  [[nodiscard]] std::uint64_t workers_version() const noexcept {
    return workers_version_;
  }

  /// What ALIVE workers have in all, added up.
  [[nodiscard]] const Resources& alive() const noexcept {
    return alive_;
  }

  // -- for sizing -------------------------------------------------------------

  /// From now on counts what is free as the sizing of executors needs it. Looks
  /// at all workers.
  void keep_census(ExecutorSize smallest);

  /// @pre `keep_census` was called.
  [[nodiscard]] const FreeCensus& census() const {
    return census_.value();
  }

  /// The same of those workers that have the named resources free. Looks at all
  /// that have any of the first. @pre as above; `named` is not empty
  [[nodiscard]] FreeCensus census_with(const ResourceAmounts& named) const;

  /// Recomputes the indexes. Returns what is not as it should be, in one line.
  /// Looks at all workers.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct CapacityTestAccess;

  Pool& pool(const std::string& resource);
  Pool& pool_for(const ResourceAmounts& named);
  [[nodiscard]] const Pool* find_pool(const ResourceAmounts& named) const;
  void index(WorkerKey key, const WorkerAccount& account);
  void index_total(WorkerKey key, const WorkerAccount& account);
  void count(WorkerKey key, const WorkerAccount& account);

  WorkerSelectionPolicy policy_;
  std::unordered_map<WorkerKey, WorkerAccount> accounts_;

  /// All workers with free cores, and those with some of a named resource.
  Pool all_;
  std::map<std::string, Pool> by_resource_;
  CapacityIndex totals_;

  /// The same of those workers that have a named resource, by how much of it.
  std::map<std::string, std::map<int, CapacityIndex>> totals_with_;
  std::uint64_t workers_version_ = 0;
  Resources alive_;
  std::optional<FreeCensus> census_;
};

} // namespace stoker
