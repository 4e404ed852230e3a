#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/common/executor_size.hpp"
#include "scheduling/placement/worker_selection.hpp"

namespace stoker {

/// Finds workers by what they have free, without looking at those that have too
/// little: in the order in which placement takes them, the next one that has
/// enough cores and memory.
///
/// A treap in that order, where each node knows the largest free cores and
/// memory below it. Ordered by cores or memory, all operations take a time that
/// grows with the logarithm of the number of workers; ordered by id, a search
/// may have to look at some that have enough of one and too little of the
/// other. A plain value: copies are independent.
class CapacityIndex {
public:
  /// A worker's place in the order, with what it has free.
  struct Entry {
    std::uint32_t number = 0;
    ExecutorSize free;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  explicit CapacityIndex(WorkerSelectionPolicy policy
                         = WorkerSelectionPolicy::CORES_FREE_DESC)
      : policy_(policy) {
  }

  /// Adds a worker, or changes what it has free. Numbers count up in order of
  /// registration; `id` is read when the worker is added.
  void set(std::uint32_t number, const std::string& id, ExecutorSize free);

  /// Removes a worker; an unknown one is harmless.
  void erase(std::uint32_t number);

  /// The first worker with at least so much.
  [[nodiscard]] std::optional<Entry> first(ExecutorSize size) const {
    return first_below(root_, size);
  }

  /// The first one behind `previous`, which need not be there any more.
  [[nodiscard]] std::optional<Entry> next(const Entry& previous,
                                          ExecutorSize size) const;

  /// Whether any worker has so much.
  [[nodiscard]] bool fits(ExecutorSize size) const {
    return first(size).has_value();
  }

  /// The most cores and the most memory, which may be of different workers.
  [[nodiscard]] ExecutorSize most() const {
    return empty() ? ExecutorSize{0, 0} : nodes_[root_].most;
  }

  [[nodiscard]] std::optional<Entry> find(std::uint32_t number) const;

  [[nodiscard]] bool empty() const noexcept {
    return root_ == none;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }

private:
  using Link = std::uint32_t;
  static constexpr Link none = UINT32_MAX;

  /// What decides about the order before ids do; less goes first.
  using Rank = std::int64_t;

  /// Stands at the position of its worker's number.
  struct Node {
    ExecutorSize free;

    /// The largest of this node and all below it, each for itself.
    ExecutorSize most;
    Rank rank = 0;
    Link left = none;
    Link right = none;
    bool present = false;
  };

  [[nodiscard]] Rank rank(ExecutorSize free) const;

  /// Whether what has rank `a` and is worker `i` is taken before (`b`, `j`).
  [[nodiscard]] bool before(Rank a, Link i, Rank b, Link j) const;
  [[nodiscard]] bool before(Link a, Link b) const {
    return before(nodes_[a].rank, a, nodes_[b].rank, b);
  }

  [[nodiscard]] bool may_have(Link tree, ExecutorSize size) const {
    return tree != none && fits_in(size, nodes_[tree].most);
  }

  [[nodiscard]] std::optional<Entry> first_below(Link tree,
                                                 ExecutorSize size) const;
  [[nodiscard]] std::optional<Entry>
  next_below(Link tree, const Entry& previous, ExecutorSize size) const;

  void update(Link link);

  /// Splits a tree into what is taken before worker `at`, and the rest.
  void split(Link tree, Link at, Link& before_it, Link& rest);
  Link merge(Link a, Link b);
  Link insert(Link tree, Link added);
  Link remove(Link tree, Link removed);

  WorkerSelectionPolicy policy_;
  std::vector<Node> nodes_;

  /// By number; empty where ids do not matter.
  std::vector<std::string> ids_;

  Link root_ = none;
  std::size_t size_ = 0;
};

} // namespace stoker
