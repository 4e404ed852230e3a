#pragma once

// Operators on both sides of a shuffle. Elements are pairs of a key and a value.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "executor/line_router.hpp"
#include "jobs/blocks.hpp"
#include "jobs/combined_table.hpp"
#include "jobs/key.hpp"
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
    PartitionBlocks blocks{task, state_.partitions};
    MemoryShare share{task.memory()};
    CombinedTable<K, V, F> table{f_};
    auto pass_on = [&] {
      for (const auto& x : table.table().entries())
        if (!blocks.add(hash_of(x.first), x))
          return false;
      table.clear();
      return true;
    };
    auto status = parent_->each(task, partition, [&](std::pair<K, V>& x) {
      return !table.add(hash_of(x.first), x)
             || (table.table().size() < keys_max && table.fits(share.bytes()))
             || pass_on();
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
            return reader.take(bytes, [&](std::pair<K, V>& x) {
              return !task.ending() && to.push(x);
            });
          });
    if (!status)
      return status;
    return reader.finish();
  }

private:
  int dependency_;
};

} // namespace stoker::jobs
