#include "scheduling/placement/capacity_index.hpp"

#include <algorithm>

namespace stoker {

namespace {

/// A fixed scramble of the number stands for a random priority, so that equal
/// inputs give equal trees.
std::uint64_t priority(std::uint32_t number) {
  auto x = (std::uint64_t{number} + 1) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

} // namespace

void CapacityIndex::set(std::uint32_t number, const std::string& id,
                        ExecutorSize free) {
  if (number >= nodes_.size())
    nodes_.resize(std::size_t{number} + 1);
  auto& node = nodes_[number];
  if (node.present && node.free == free)
    return;
  erase(number);
  if (policy_ != WorkerSelectionPolicy::CORES_FREE_DESC) {
    ids_.resize(nodes_.size());
    ids_[number] = id;
  }
  node = {free, free, rank(free), none, none, true};
  root_ = insert(root_, number);
  ++size_;
}

void CapacityIndex::erase(std::uint32_t number) {
  if (number >= nodes_.size() || !nodes_[number].present)
    return;
  root_ = remove(root_, number);
  nodes_[number].present = false;
  --size_;
}

std::optional<CapacityIndex::Entry>
CapacityIndex::first_below(Link tree, ExecutorSize size) const {
  while (may_have(tree, size)) {
    const auto& node = nodes_[tree];
    // The largest cores and the largest memory may be of different workers.
    if (auto found = first_below(node.left, size))
      return found;
    if (fits_in(size, node.free))
      return Entry{tree, node.free};
    tree = node.right;
  }
  return std::nullopt;
}

std::optional<CapacityIndex::Entry>
CapacityIndex::next(const Entry& previous, ExecutorSize size) const {
  return next_below(root_, previous, size);
}

std::optional<CapacityIndex::Entry>
CapacityIndex::next_below(Link tree, const Entry& previous,
                          ExecutorSize size) const {
  auto previous_rank = rank(previous.free);
  while (may_have(tree, size)) {
    const auto& node = nodes_[tree];
    if (before(previous_rank, previous.number, node.rank, tree)) {
      if (auto found = next_below(node.left, previous, size))
        return found;
      if (fits_in(size, node.free))
        return Entry{tree, node.free};
      return first_below(node.right, size);
    }
    tree = node.right;
  }
  return std::nullopt;
}

std::optional<CapacityIndex::Entry>
CapacityIndex::find(std::uint32_t number) const {
  if (number >= nodes_.size() || !nodes_[number].present)
    return std::nullopt;
  return Entry{number, nodes_[number].free};
}

CapacityIndex::Rank CapacityIndex::rank(ExecutorSize free) const {
  switch (policy_) {
  case WorkerSelectionPolicy::CORES_FREE_DESC:
    return -Rank{free.cores};
  case WorkerSelectionPolicy::CORES_FREE_ASC:
    return free.cores;
  case WorkerSelectionPolicy::MEMORY_FREE_DESC:
    return -free.memory_mb;
  case WorkerSelectionPolicy::MEMORY_FREE_ASC:
    return free.memory_mb;
  case WorkerSelectionPolicy::WORKER_ID:
    break;
  }
  return 0;
}

bool CapacityIndex::before(Rank a, Link i, Rank b, Link j) const {
  if (a != b)
    return a < b;
  if (policy_ == WorkerSelectionPolicy::CORES_FREE_DESC)
    return i > j;
  if (auto order = ids_[i].compare(ids_[j]); order != 0)
    return policy_ == WorkerSelectionPolicy::MEMORY_FREE_DESC ? order > 0
                                                              : order < 0;
  return i < j;
}

void CapacityIndex::update(Link link) {
  auto& node = nodes_[link];
  node.most = node.free;
  for (auto child : {node.left, node.right})
    if (child != none)
      node.most = {std::max(node.most.cores, nodes_[child].most.cores),
                   std::max(node.most.memory_mb, nodes_[child].most.memory_mb)};
}

void CapacityIndex::split(Link tree, Link at, Link& before_it, Link& rest) {
  if (tree == none) {
    before_it = none;
    rest = none;
  } else if (before(tree, at)) {
    split(nodes_[tree].right, at, nodes_[tree].right, rest);
    before_it = tree;
    update(tree);
  } else {
    split(nodes_[tree].left, at, before_it, nodes_[tree].left);
    rest = tree;
    update(tree);
  }
}

CapacityIndex::Link CapacityIndex::merge(Link a, Link b) {
  if (a == none || b == none)
    return a == none ? b : a;
  if (priority(a) > priority(b)) {
    nodes_[a].right = merge(nodes_[a].right, b);
    update(a);
    return a;
  }
  nodes_[b].left = merge(a, nodes_[b].left);
  update(b);
  return b;
}

CapacityIndex::Link CapacityIndex::insert(Link tree, Link added) {
  if (tree == none)
    return added;
  if (priority(added) > priority(tree)) {
    split(tree, added, nodes_[added].left, nodes_[added].right);
    update(added);
    return added;
  }
  if (before(added, tree))
    nodes_[tree].left = insert(nodes_[tree].left, added);
  else
    nodes_[tree].right = insert(nodes_[tree].right, added);
  update(tree);
  return tree;
}

CapacityIndex::Link CapacityIndex::remove(Link tree, Link removed) {
  if (tree == removed)
    return merge(nodes_[tree].left, nodes_[tree].right);
  if (before(removed, tree))
    nodes_[tree].left = remove(nodes_[tree].left, removed);
  else
    nodes_[tree].right = remove(nodes_[tree].right, removed);
  update(tree);
  return tree;
}

} // namespace stoker
