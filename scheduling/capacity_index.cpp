#include "scheduling/capacity_index.hpp"

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

void CapacityIndex::set(std::uint32_t number, int cores,
                        std::int64_t memory_mb) {
  erase(number);
  if (number >= nodes_.size())
    nodes_.resize(std::size_t{number} + 1);
  auto& node = nodes_[number];
  node = {memory_mb, memory_mb, cores, none, none, true};
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
CapacityIndex::first(std::int64_t memory_mb) const {
  return first_below(root_, memory_mb);
}

std::optional<CapacityIndex::Entry>
CapacityIndex::first_below(Link tree, std::int64_t memory_mb) const {
  while (tree != none && nodes_[tree].most_memory_mb >= memory_mb) {
    const auto& node = nodes_[tree];
    if (node.left != none && nodes_[node.left].most_memory_mb >= memory_mb)
      tree = node.left;
    else if (node.memory_mb >= memory_mb)
      return entry(tree);
    else
      tree = node.right;
  }
  return std::nullopt;
}

std::optional<CapacityIndex::Entry>
CapacityIndex::next(const Entry& previous, std::int64_t memory_mb) const {
  // On the way down to where `previous` is or was, remember the last node that
  // is behind it and has enough itself or to its right.
  auto candidate = none;
  auto link = root_;
  while (link != none) {
    const auto& node = nodes_[link];
    auto is_behind
        = node.cores < previous.cores
          || (node.cores == previous.cores && link < previous.number);
    if (!is_behind) {
      link = node.right;
      continue;
    }
    if (node.memory_mb >= memory_mb
        || (node.right != none
            && nodes_[node.right].most_memory_mb >= memory_mb))
      candidate = link;
    link = node.left;
  }
  if (candidate == none)
    return std::nullopt;
  if (nodes_[candidate].memory_mb >= memory_mb)
    return entry(candidate);
  return first_below(nodes_[candidate].right, memory_mb);
}

bool CapacityIndex::fits(int cores, std::int64_t memory_mb) const {
  auto found = first(memory_mb);
  return found && found->cores >= cores;
}

std::optional<CapacityIndex::Entry>
CapacityIndex::find(std::uint32_t number) const {
  if (number >= nodes_.size() || !nodes_[number].present)
    return std::nullopt;
  return entry(number);
}

CapacityIndex::Entry CapacityIndex::entry(Link link) const {
  return {nodes_[link].cores, link, nodes_[link].memory_mb};
}

bool CapacityIndex::before(Link a, Link b) const {
  return nodes_[a].cores > nodes_[b].cores
         || (nodes_[a].cores == nodes_[b].cores && a > b);
}

void CapacityIndex::update(Link link) {
  auto& node = nodes_[link];
  node.most_memory_mb = node.memory_mb;
  for (auto child : {node.left, node.right})
    if (child != none)
      node.most_memory_mb
          = std::max(node.most_memory_mb, nodes_[child].most_memory_mb);
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
