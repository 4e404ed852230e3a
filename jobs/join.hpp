#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "jobs/groups.hpp"
#include "jobs/operators.hpp"

namespace stoker::jobs {

/// Elements of two parents with equal keys, which are in partitions of the same number. The
/// second one's partition is in a table; if it does not fit in memory, both are sorted in
/// runs, and read side by side.
template <class K, class V, class W>
class Join final : public Stream<std::pair<K, std::pair<V, W>>> {
public:
  using U = std::pair<K, std::pair<V, W>>;

  explicit Join(Operands& x)
      : left_(x.stream<std::pair<K, V>>(0)),
        right_(x.stream<std::pair<K, W>>(1)) {
  }
  static std::string name() {
    return operator_name<K, V, W>("join");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    Groups<K, W> right{task};
    auto read = right_->each(task, partition,
                             [&](std::pair<K, W>& x) { return right.add(x); });
    if (!read)
      return read;
    if (auto finished = right.finish(); !finished)
      return finished;
    return right.in_memory() ? look_up(task, partition, right.table(), to)
                             : merge(task, partition, right, to);
  }

private:
  Status look_up(TaskRun& task, int partition,
                 const typename Groups<K, W>::Table& right, Sink<U>& to) const {
    return left_->each(task, partition, [&](std::pair<K, V>& x) {
      const auto* values = right.find(hash_of(x.first), x.first);
      return values == nullptr || push(task, x.first, x.second, *values, to);
    });
  }

  Status merge(TaskRun& task, int partition, Groups<K, W>& right,
               Sink<U>& to) const {
    Groups<K, V> left{task};
    auto read = left_->each(task, partition,
                            [&](std::pair<K, V>& x) { return left.add(x); });
    if (!read)
      return read;
    if (auto gone = left.leave_memory(); !gone)
      return gone;
    auto lefts = left.runs().merge();
    if (!lefts)
      return std::move(lefts).error();
    auto rights = right.runs().merge();
    if (!rights)
      return std::move(rights).error();
    return merge(task, *lefts,
                 MergedKeys<K, std::vector<W>>{*std::move(rights)},
                 right.memory_bytes(), to);
  }

  static Status merge(TaskRun& task, MergedRuns<K, std::vector<V>>& left,
                      MergedKeys<K, std::vector<W>> right,
                      std::uint64_t memory_bytes, Sink<U>& to) {
    AppendValues<W> append{memory_bytes};
    auto next_keys = [&] {
      append.begin();
      return right.advance(append);
    };
    auto more = next_keys();
    while (more && *more && !left.at_end()) {
      if (right.short_hash() < left.short_hash()) {
        more = next_keys();
        continue;
      }
      if (right.short_hash() == left.short_hash()
          && !push_all(task, left.element(), right.keys(), to))
        return {};
      if (auto advanced = left.advance(); !advanced)
        return advanced;
    }
    if (!more)
      return std::move(more).error();
    return {};
  }

  /// @param keys Of the same short hash.
  static bool push_all(TaskRun& task, const std::pair<K, std::vector<V>>& left,
                       const std::vector<std::pair<K, std::vector<W>>>& keys,
                       Sink<U>& to) {
    auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& x) {
      return x.first == left.first;
    });
    if (found == keys.end())
      return true;
    for (const auto& x : left.second)
      if (!push(task, left.first, x, found->second, to))
        return false;
    return true;
  }

  static bool push(TaskRun& task, const K& key, const V& x,
                   const std::vector<W>& values, Sink<U>& to) {
    for (const auto& value : values) {
      U y{key, {x, value}};
      if (task.ending() || !to.push(y))
        return false;
    }
    return true;
  }

  const Stream<std::pair<K, V>>* left_;
  const Stream<std::pair<K, W>>* right_;
};

} // namespace stoker::jobs
