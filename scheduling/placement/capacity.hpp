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
#include "scheduling/placement/placement.hpp"
#include "scheduling/placement/requirements.hpp"
#include "scheduling/placement/worker_account.hpp"
#include "scheduling/placement/worker_selection.hpp"
#include "scheduling/placement/workers_of_kind.hpp"

namespace stoker {

/// What an executor, a driver or a reservation holds of one worker.
struct Allotment {
  ExecutorSize size;
  ResourceAddresses resources;
};

/// What an executor takes of the worker that holds it.
struct ExecutorShape {
  ExecutorSize size;
  Requirements needs;

  /// A worker holds at most one, which may be wider.
  bool one_each = false;

  friend auto operator<=>(const ExecutorShape&, const ExecutorShape&) = default;
};

/// The ledger of all workers: what each has and what of it is given away, and
/// the indexes that find workers by what they have free. `take` and `give_back`
/// are the only ways in which cores, memory and named resources change hands.
///
/// Beside what is free stands who wants it: the applications that would take
/// another executor (`Pool`). Workers are indexed by the kinds of programs that they
/// run, so that a program is looked for a place among those only that run it.
///
/// Invariants: what is used is the sum of what was taken and not given back; no
/// figure is negative, and none is more than the worker has; the indexes of a kind
/// name exactly the workers that run it.
class Capacity {
public:
  explicit Capacity(WorkerSelectionPolicy policy);

  // -- workers ----------------------------------------------------------------

  /// @pre The key is new.
  void add(WorkerKey key, const WorkerId& id, ExecutorSize total,
           const ResourceAddresses& named, const ProgramKinds& kinds,
           WorkerState state);

  /// It runs other kinds of programs from now on. What it has given stays given.
  void set_kinds(WorkerKey key, const ProgramKinds& kinds);

  void set_state(WorkerKey key, WorkerState state);

  /// Whether it gives nothing for a while, although it takes part.
  void set_resting(WorkerKey key, bool rests);

  /// @pre The worker is DEAD.
  void remove(WorkerKey key);

  // -- the ledger -------------------------------------------------------------

  /// Gives `count` shares of this size away. Returns which addresses of the
  /// named resources each has. @pre There is room.
  std::vector<ResourceAddresses> take(WorkerKey key, ExecutorSize each,
                                      const Requirements& needs, int count);

  /// Gives just this away. Returns whether there was room; otherwise nothing
  /// has changed.
  [[nodiscard]] bool take(WorkerKey key, const Allotment& what);

  /// @pre It was taken.
  void give_back(WorkerKey key, const Allotment& what);

  // -- who wants it -----------------------------------------------------------

  /// The size of the executors that an application would take, and how many it takes
  /// at once; unset: none.
  void set_wanted(QueuePosition app, const Requirements& needs,
                  std::optional<ExecutorSize> size, int at_once = 1);
  [[nodiscard]] bool is_wanted(QueuePosition app,
                               const Requirements& needs) const;

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
                              const Requirements& needs) const;

  /// For how many such executors there is room at once, counted up to `enough`.
  /// Without named resources it looks at no more workers than it counts.
  [[nodiscard]] int slots(const ExecutorShape& shape, int enough) const;

  /// The same if all workers that take part were empty.
  [[nodiscard]] int slots_in_all(const ExecutorShape& shape, int enough) const;

  /// What placement has to know of the worker.
  [[nodiscard]] FreeResources free_for(WorkerKey key,
                                       const Requirements& needs) const;

  /// ALIVE workers with a free core that run such programs; for those that need
  /// named resources, workers with any of the first.
  [[nodiscard]] const CapacityIndex& free_with(const Requirements& needs) const;

  /// All ALIVE workers with a free core that do not rest.
  [[nodiscard]] std::vector<WorkerKey> giving() const;

  /// What workers that take part (ALIVE, UNKNOWN) and run such programs have in all.
  [[nodiscard]] const CapacityIndex&
  totals(const ProgramKind& kind) const noexcept {
    return of(kind).totals();
  }

  /// Whether any worker takes part.
  [[nodiscard]] bool has_workers() const noexcept;

  /// Whether a worker that takes part could hold this if it were empty.
  [[nodiscard]] bool could_hold(ExecutorSize size,
                                const Requirements& needs) const;

  /// Another number whenever a worker begins or ceases to take part, or runs other
  /// programs.
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

  /// Of the workers that run such programs. @pre `keep_census` was called
  [[nodiscard]] const FreeCensus& census(const ProgramKind& kind) const {
    return of(kind).census().value();
  }

  /// The same of those workers that have the named resources free. Looks at all
  /// that have any of the first. @pre as above
  [[nodiscard]] FreeCensus census_with(const Requirements& needs) const;

  /// Recomputes the indexes. Returns what is not as it should be, in one line.
  /// Looks at all workers.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct CapacityTestAccess;

  WorkersOfKind& of(const ProgramKind& kind);
  [[nodiscard]] const WorkersOfKind& of(const ProgramKind& kind) const noexcept;
  void index(WorkerKey key, const WorkerAccount& account);
  void index_total(WorkerKey key, const WorkerAccount& account);

  std::unordered_map<WorkerKey, WorkerAccount> accounts_;

  /// Of each kind of programs that a worker runs or somebody wants to run.
  WorkersOfKind of_others_;
  std::map<SparkRelease, WorkersOfKind> of_spark_;

  /// Without workers.
  WorkersOfKind of_none_;
  std::uint64_t workers_version_ = 0;
  Resources alive_;
};

} // namespace stoker
