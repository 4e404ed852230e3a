#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "jobs/key_table.hpp"
#include "jobs/memory_size.hpp"
#include "jobs/owned.hpp"

namespace stoker::jobs {

/// One value for each key, made by `f(V, V)` of all that were added. Knows how much memory
/// that takes.
template <class K, class V, class F>
class CombinedTable {
public:
  using Table = KeyTable<Owned<K>, Owned<V>>;

  explicit CombinedTable(const F& f) : f_(f) {
  }

  /// Returns whether it takes more memory than before, so that it is time to ask `fits`.
  bool add(std::uint64_t hash, std::pair<K, V>& x) {
    auto [value, is_new] = table_.find_or_add(hash, comparable(x.first), [&] {
      return std::pair<Owned<K>, Owned<V>>{take_owned(x.first),
                                           take_owned(x.second)};
    });
    if (is_new) {
      if constexpr (holds_memory<Owned<K>> || holds_memory<Owned<V>>)
        held_ += held_bytes(table_.entries().back());
      return true;
    }
    auto next = take_owned(x.second);
    // What is made of two values takes no more than both, as a rule; `fits` looks.
    if constexpr (holds_memory<Owned<V>>)
      held_ += held_bytes(next);
    combine(*value, next);
    return holds_memory<Owned<V>>;
  }

  /// Puts one value more into a value; it does not matter whether that is here.
  void combine(Owned<V>& value, Owned<V>& next) {
    // Of `int` and `int` a function may make a `long`.
    value = static_cast<Owned<V>>(
        std::invoke(f_, std::move(value), std::move(next)));
  }

  /// Whether it stays within so many bytes when one key more is added.
  bool fits(std::uint64_t bytes) {
    if (held_ + table_.bytes_for_one_more() <= bytes)
      return true;
    if constexpr (!holds_memory<Owned<V>>)
      return false;
    // If little is left, it would be looked at again soon.
    held_ = 0;
    for (const auto& x : table_.entries())
      held_ += held_bytes(x);
    return held_ + table_.bytes_for_one_more() <= bytes / 4 * 3;
  }

  [[nodiscard]] Table& table() noexcept {
    return table_;
  }

  /// What the table has room for stays.
  void clear() {
    table_.clear();
    held_ = 0;
  }

  /// As `KeyTable::take_in_order`.
  template <class Use>
  void take_in_order(Use&& use) {
    table_.take_in_order(use);
    held_ = 0;
  }

private:
  F f_;
  Table table_;

  /// By keys and values, besides the table.
  std::uint64_t held_ = 0;
};

} // namespace stoker::jobs
