#pragma once

#include <bitset>
#include <cstddef>
#include <unordered_map>

namespace stoker {

/// Numbers of tasks. Those that lie together take a bit each, so that a million of them
/// takes some 200 kB; one far from all others takes as much as a thousand.
class IndexSet {
public:
  /// Returns whether it was not there before.
  bool insert(int x) {
    auto bit = blocks_[block_of(x)][place_of(x)];
    if (bit)
      return false;
    bit = true;
    ++size_;
    return true;
  }

  /// Returns whether it was there.
  bool erase(int x) {
    auto i = blocks_.find(block_of(x));
    if (i == blocks_.end() || !i->second[place_of(x)])
      return false;
    i->second[place_of(x)] = false;
    --size_;
    return true;
  }

  void clear() {
    blocks_.clear();
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }

private:
  static constexpr unsigned width = 1024;

  static unsigned block_of(int x) {
    return static_cast<unsigned>(x) / width;
  }
  static unsigned place_of(int x) {
    return static_cast<unsigned>(x) % width;
  }

  std::unordered_map<unsigned, std::bitset<width>> blocks_;
  std::size_t size_ = 0;
};

} // namespace stoker
