#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stoker {

/// Finds workers by what they have free, without looking at those that have too
/// little: in the order in which placement takes them (most free cores first,
/// of equals the later number), the next one that has enough memory.
///
/// A treap over (free cores, number), where each node knows the largest free
/// memory below it. All operations take a time that grows with the logarithm of
/// the number of workers. A plain value: copies are independent.
class CapacityIndex {
public:
  /// A worker's place in the order, with what it has free.
  struct Entry {
    int cores = 0;
    std::uint32_t number = 0;
    std::int64_t memory_mb = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Adds a worker, or changes what it has free.
  void set(std::uint32_t number, int cores, std::int64_t memory_mb);

  /// Removes a worker; an unknown one is harmless.
  void erase(std::uint32_t number);

  /// The first worker with at least so much memory.
  [[nodiscard]] std::optional<Entry> first(std::int64_t memory_mb) const;

  /// The first one behind `previous`, which need not be there any more.
  [[nodiscard]] std::optional<Entry> next(const Entry& previous,
                                          std::int64_t memory_mb) const;

  /// Whether any worker has so many cores and so much memory.
  [[nodiscard]] bool fits(int cores, std::int64_t memory_mb) const;

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

  /// Stands at the position of its worker's number.
  struct Node {
    std::int64_t memory_mb = 0;

    /// The largest of this node and all below it.
    std::int64_t most_memory_mb = 0;
    int cores = 0;
    Link left = none;
    Link right = none;
    bool present = false;
  };

  [[nodiscard]] Entry entry(Link link) const;

  /// The first one below `tree` with at least so much memory.
  [[nodiscard]] std::optional<Entry> first_below(Link tree,
                                                 std::int64_t memory_mb) const;

  /// Whether worker `a` is taken before `b`.
  [[nodiscard]] bool before(Link a, Link b) const;

  void update(Link link);

  /// Splits a tree into what is taken before worker `at`, and the rest.
  void split(Link tree, Link at, Link& before_it, Link& rest);
  Link merge(Link a, Link b);
  Link insert(Link tree, Link added);
  Link remove(Link tree, Link removed);

  std::vector<Node> nodes_;
  Link root_ = none;
  std::size_t size_ = 0;
};

} // namespace stoker
