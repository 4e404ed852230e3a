#pragma once

// Operators that see all values of a key at once: they keep the keys of a partition in a
// table, and what does not fit in memory in runs. In which order keys come is not said.

#include <string>
#include <utility>
#include <vector>

#include "jobs/combined_table.hpp"
#include "jobs/groups.hpp"
#include "jobs/operators.hpp"
#include "jobs/runs.hpp"

namespace stoker::jobs {

namespace detail {

/// Pushes all pairs of a table or the like, until the task is to end.
template <class Pairs, class U>
bool push_pairs(const TaskRun& task, Pairs& pairs, Sink<U>& to) {
  for (auto& x : pairs)
    if (task.ending() || !to.push(x))
      return false;
  return true;
}

} // namespace detail

/// One pair for each key of a partition.
template <class K, class V, class F>
class ReduceByKey final : public Stream<std::pair<Owned<K>, Owned<V>>> {
public:
  using U = std::pair<Owned<K>, Owned<V>>;

  explicit ReduceByKey(Operands& x)
      : parent_(x.stream<std::pair<K, V>>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<K, V, F>("reduce_by_key");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    MemoryShare share{task.memory()};
    CombinedTable<K, V, F> table{f_};
    AllRuns runs{task, share.bytes()};
    Status written;
    auto write_run = [&] {
      table.take_in_order([&](const U& x) { return runs.add(x); });
      written = runs.end_run();
      return static_cast<bool>(written);
    };
    auto status = parent_->each(task, partition, [&](std::pair<K, V>& x) {
      return !table.add(hash_of(x.first), x) || table.fits(share.bytes())
             || write_run();
    });
    if (!status)
      return status;
    if (runs.empty()) {
      if (written)
        detail::push_pairs(task, table.table().entries(), to);
      return written;
    }
    return write_run() ? merge(task, runs, table, to) : written;
  }

private:
  using AllRuns = Runs<Owned<K>, Owned<V>>;

  static Status merge(const TaskRun& task, AllRuns& runs,
                      CombinedTable<K, V, F>& table, Sink<U>& to) {
    auto elements = runs.merge();
    if (!elements)
      return std::move(elements).error();
    auto fold = [&](Owned<V>& value, Owned<V>& next) -> Status {
      table.combine(value, next);
      return {};
    };
    MergedKeys<Owned<K>, Owned<V>> keys{*std::move(elements)};
    for (;;) {
      auto more = keys.advance(fold);
      if (!more)
        return std::move(more).error();
      if (!*more || !detail::push_pairs(task, keys.keys(), to))
        return {};
    }
  }

  const Stream<std::pair<K, V>>* parent_;
  F f_;
};

/// One pair for each key of a partition, with all of its values, which have to fit in
/// memory.
template <class K, class V>
class GroupByKey final
    : public Stream<std::pair<Owned<K>, std::vector<Owned<V>>>> {
public:
  using U = std::pair<Owned<K>, std::vector<Owned<V>>>;

  explicit GroupByKey(Operands& x) : parent_(x.stream<std::pair<K, V>>()) {
  }
  static std::string name() {
    return operator_name<K, V>("group_by_key");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    AllGroups groups{task};
    auto status = parent_->each(
        task, partition, [&](std::pair<K, V>& x) { return groups.add(x); });
    if (!status)
      return status;
    if (auto finished = groups.finish(); !finished)
      return finished;
    if (!groups.in_memory())
      return merge(task, groups, to);
    detail::push_pairs(task, groups.table().entries(), to);
    return {};
  }

private:
  using AllGroups = Groups<Owned<K>, Owned<V>>;

  static Status merge(const TaskRun& task, AllGroups& groups, Sink<U>& to) {
    auto elements = groups.runs().merge();
    if (!elements)
      return std::move(elements).error();
    AppendValues<Owned<V>> append{groups.memory_bytes()};
    MergedKeys<Owned<K>, std::vector<Owned<V>>> keys{*std::move(elements)};
    for (;;) {
      append.begin();
      auto more = keys.advance(append);
      if (!more)
        return std::move(more).error();
      if (!*more || !detail::push_pairs(task, keys.keys(), to))
        return {};
    }
  }

  const Stream<std::pair<K, V>>* parent_;
};

} // namespace stoker::jobs
