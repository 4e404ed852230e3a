#pragma once

// Operators on both sides of a shuffle. Elements are pairs of a key and a value.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "executor/line_router.hpp"
#include "jobs/blocks.hpp"
#include "jobs/key.hpp"
#include "jobs/key_table.hpp"
#include "jobs/operators.hpp"

namespace stoker::jobs {

/// What both kinds of writers hold.
struct ShuffleState {
  std::int32_t partitions = 1;

  /// That of the function.
  std::string function;
};
BOOST_DESCRIBE_STRUCT(ShuffleState, (), (partitions, function))

/// Elements on their way to their partitions.
class PartitionBlocks {
public:
  PartitionBlocks(TaskRun& task, int partitions)
      : task_(task), blocks_(static_cast<std::size_t>(partitions)),
        block_bytes_(executor::batch_bytes_of(partitions)) {
  }

  /// False: it could not be written.
  template <class T>
  bool add(std::uint64_t hash, const T& x) {
    if (!status_)
      return false;
    auto partition = partition_of(hash, static_cast<int>(blocks_.size()));
    auto& block = blocks_[static_cast<std::size_t>(partition)];
    block.add(x);
    return block.size() < block_bytes_ || flush(partition);
  }

  /// All that was added.
  Status finish() {
    for (auto i = 0; status_ && i < static_cast<int>(blocks_.size()); ++i)
      flush(i);
    return status_;
  }

private:
  bool flush(int partition) {
    status_ = blocks_[static_cast<std::size_t>(partition)].flush(
        [&](std::string_view bytes) { return task_.write(partition, bytes); });
    return static_cast<bool>(status_);
  }

  TaskRun& task_;
  std::vector<BlockWriter> blocks_;
  std::size_t block_bytes_;
  Status status_;
};

/// Writes each element to its key's partition.
template <class K, class V>
class WriteByKey final : public Terminal {
public:
  explicit WriteByKey(Operands& x)
      : parent_(x.stream<std::pair<K, V>>()),
        partitions_(x.template state<ShuffleState>().partitions) {
  }
  static std::string name() {
    return operator_name<K, V>("write");
  }

  Status run(TaskRun& task, int partition) const override {
    PartitionBlocks blocks{task, partitions_};
    auto status = parent_->each(task, partition, [&](const std::pair<K, V>& x) {
      return blocks.add(hash_of(x.first), x);
    });
    if (!status)
      return status;
    return blocks.finish();
  }

private:
  const Stream<std::pair<K, V>>* parent_;
  int partitions_;
};

/// Puts an element into a table: its value becomes, or is combined with, that of its
/// key.
template <class K, class V, class F>
void combine(KeyTable<Owned<K>, Owned<V>>& table, std::uint64_t hash,
             std::pair<K, V>& x, F& f) {
  auto [value, is_new] = table.find_or_add(hash, comparable(x.first), [&] {
    return std::pair<Owned<K>, Owned<V>>{take_owned(x.first),
                                         take_owned(x.second)};
  });
  if (!is_new)
    *value = std::invoke(f, std::move(*value), take_owned(x.second));
}

/// Combines the values of each key, and writes what became of them.
template <class K, class V, class F>
class WriteCombined final : public Terminal {
public:
  explicit WriteCombined(Operands& x)
      : parent_(x.stream<std::pair<K, V>>()),
        state_(x.template state<ShuffleState>()),
        f_(x.template function<F>(state_.function)) {
  }
  static std::string name() {
    return operator_name<K, V, F>("write combined");
  }

  Status run(TaskRun& task, int partition) const override {
    auto f = f_;
    PartitionBlocks blocks{task, state_.partitions};
    KeyTable<Owned<K>, Owned<V>> table;
    auto pass_on = [&] {
      for (const auto& x : table.entries())
        if (!blocks.add(hash_of(x.first), x))
          return false;
      table.clear();
      return true;
    };
    auto status = parent_->each(task, partition, [&](std::pair<K, V>& x) {
      combine(table, hash_of(x.first), x, f);
      return table.size() < keys_max || pass_on();
    });
    if (!status)
      return status;
    static_cast<void>(pass_on());
    return blocks.finish();
  }

private:
  /// Of so many keys at once values are combined; the other side does the rest.
  static constexpr std::size_t keys_max = std::size_t{1} << 20;

  const Stream<std::pair<K, V>>* parent_;
  ShuffleState state_;
  F f_;
};

/// Reads a partition of what a stage wrote.
template <class K, class V>
class ReadShuffle final : public Stream<std::pair<K, V>> {
public:
  explicit ReadShuffle(Operands& x) : dependency_(x.dependency()) {
  }
  static std::string name() {
    return operator_name<K, V>("read");
  }

  Status run(TaskRun& task, int partition,
             Sink<std::pair<K, V>>& to) const override {
    ElementReader<std::pair<K, V>> reader;
    auto status
        = task.read(dependency_, partition, [&](std::string_view bytes) {
            return reader.take(bytes,
                               [&](std::pair<K, V>& x) { return to.push(x); });
          });
    if (!status)
      return status;
    return reader.finish();
  }

private:
  int dependency_;
};

/// One pair for each key of a partition. All of them are in memory.
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
    auto f = f_;
    KeyTable<Owned<K>, Owned<V>> table;
    auto status = parent_->each(task, partition, [&](std::pair<K, V>& x) {
      combine(table, hash_of(x.first), x, f);
      return true;
    });
    if (!status)
      return status;
    for (auto& x : table.entries())
      if (!to.push(x))
        break;
    return {};
  }

private:
  const Stream<std::pair<K, V>>* parent_;
  F f_;
};

/// One pair for each key of a partition, with all of its values. All of them are in
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
    KeyTable<Owned<K>, std::vector<Owned<V>>> table;
    auto status = parent_->each(task, partition, [&](std::pair<K, V>& x) {
      auto [values, is_new]
          = table.find_or_add(hash_of(x.first), comparable(x.first), [&] {
              return U{take_owned(x.first), {}};
            });
      values->push_back(take_owned(x.second));
      return true;
    });
    if (!status)
      return status;
    for (auto& x : table.entries())
      if (!to.push(x))
        break;
    return {};
  }

private:
  const Stream<std::pair<K, V>>* parent_;
};

} // namespace stoker::jobs
