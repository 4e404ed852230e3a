#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/key_table.hpp"
#include "jobs/memory_size.hpp"
#include "jobs/owned.hpp"
#include "jobs/runs.hpp"

namespace stoker::jobs {

/// A key and some of its values, which are encoded already.
template <class K>
struct EncodedGroup {
  const K& key;
  std::size_t count;
  std::string_view values;
};

/// As that of a pair of a key and a vector of values.
template <class K>
struct Codec<EncodedGroup<K>> {
  static void put(std::string& out, const EncodedGroup<K>& x) {
    Codec<K>::put(out, x.key);
    put_length(out, x.count);
    out += x.values;
  }
};

/// Adds values to those of their key, as long as those of one short hash fit in memory.
/// For `MergedKeys::advance`.
template <class V>
class AppendValues {
public:
  explicit AppendValues(std::uint64_t memory_bytes) : bytes_(memory_bytes) {
  }

  /// Other keys follow.
  void begin() noexcept {
    held_ = 0;
  }

  Status operator()(std::vector<V>& values, std::vector<V>& next) {
    for (auto&& x : next) {
      if constexpr (holds_memory<V>)
        held_ += held_bytes(x);
      // Where it grows, it is there in its old and in its doubled size.
      auto room = values.size() < values.capacity() ? values.capacity()
                                                    : values.capacity() * 3;
      if (held_ + room * sizeof(V) > bytes_)
        return Error{Errc::failed,
                     "the values of one key take more than the "
                         + std::to_string(bytes_ >> 20)
                         + " MB that this task has for them: combine them with "
                           "reduce_by_key, or give executors more memory "
                           "(spark.executor.memory)"};
      values.push_back(std::move(x));
    }
    return {};
  }

private:
  const std::uint64_t bytes_;
  std::uint64_t held_ = 0;
};

/// All values of each key: in a table, or, if that takes more than its share of memory, in
/// runs.
template <class K, class V>
class Groups {
public:
  using Table = KeyTable<K, std::vector<V>>;
  using AllRuns = Runs<K, std::vector<V>>;

  explicit Groups(TaskRun& task)
      : share_(task.memory()), runs_(task, share_.bytes()) {
  }

  /// False: what did not fit could not be written; `finish` says why.
  template <class A, class B>
  bool add(std::pair<A, B>& x) {
    auto [values, is_new]
        = table_.find_or_add(hash_of(x.first), comparable(x.first), [&] {
            return std::pair<K, std::vector<V>>{take_owned(x.first), {}};
          });
    auto before = values->capacity();
    values->push_back(take_owned(x.second));
    if constexpr (holds_memory<V>)
      held_ += held_bytes(values->back());
    if (is_new)
      held_ += held_bytes(table_.entries().back().first) + allocation_overhead;
    held_ += (values->capacity() - before) * sizeof(V);
    auto growth = values->size() < values->capacity()
                      ? 0
                      : values->capacity() * 2 * sizeof(V);
    return held_ + growth + table_.bytes_for_one_more() <= share_.bytes()
           || write_run();
  }

  /// Nothing is added after that. Whatever is in runs is no longer in the table.
  Status finish() {
    if (!runs_.empty())
      write_run();
    return status_;
  }

  /// @pre `finish` has succeeded
  [[nodiscard]] bool in_memory() const noexcept {
    return runs_.empty();
  }
  [[nodiscard]] Table& table() noexcept {
    return table_;
  }

  /// Puts all into runs. @pre `finish` has succeeded
  Status leave_memory() {
    if (table_.size() > 0)
      write_run();
    return status_;
  }
  [[nodiscard]] AllRuns& runs() noexcept {
    return runs_;
  }

  /// For what is made of runs.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return share_.bytes();
  }

private:
  bool write_run() {
    table_.take_in_order([this](auto& x) { return write(x.first, x.second); });
    held_ = 0;
    status_ = runs_.end_run();
    return static_cast<bool>(status_);
  }

  /// In pieces, so that none of them takes much memory.
  bool write(const K& key, std::vector<V>& values) {
    std::string piece;
    std::size_t count = 0;
    auto more = true;
    for (std::size_t i = 0; more && i < values.size(); ++i) {
      Codec<V>::put(piece, values[i]);
      ++count;
      if (piece.size() < runs_.block_bytes() && i + 1 < values.size())
        continue;
      more = runs_.add(EncodedGroup<K>{key, count, piece});
      piece.clear();
      count = 0;
    }
    std::vector<V>{}.swap(values);
    return more;
  }

  MemoryShare share_;
  Table table_;
  AllRuns runs_;
  Status status_;

  /// By keys and values, besides the table.
  std::uint64_t held_ = 0;
};

} // namespace stoker::jobs
