#include "jobs/barrier_rules.hpp"

#include <map>
#include <string>
#include <vector>

namespace stoker::jobs {

namespace {

/// What a stage is made of: its nodes, parents first, and whether each has a barrier in
/// it.
class StageNodes {
public:
  explicit StageNodes(const Node& last) {
    // Without recursion: a chain of operations may be long.
    std::vector<const Node*> left{&last};
    while (!left.empty()) {
      const auto* node = left.back();
      if (has_barrier_.contains(node)) {
        left.pop_back();
        continue;
      }
      auto missing = false;
      for (const auto* parent : parents(*node))
        if (!has_barrier_.contains(parent)) {
          left.push_back(parent);
          missing = true;
        }
      if (missing)
        continue;
      auto barriers = node->is_barrier ? 1 : barriers_before(*node);
      has_barrier_.emplace(node, barriers > 0);
      in_order_.push_back(node);
      left.pop_back();
    }
  }

  [[nodiscard]] const std::vector<const Node*>& in_order() const noexcept {
    return in_order_;
  }
  [[nodiscard]] bool has_barrier(const Node& x) const {
    return has_barrier_.at(&x);
  }

  /// How many of those that it is made of have one.
  [[nodiscard]] int barriers_before(const Node& x) const {
    auto result = 0;
    for (const auto* parent : parents(x))
      result += has_barrier_.at(parent) ? 1 : 0;
    return result;
  }

private:
  /// Of the same stage.
  static std::vector<const Node*> parents(const Node& x) {
    std::vector<const Node*> result;
    if (x.kind != NodeKind::shuffled)
      for (const auto& parent : x.parents)
        result.push_back(parent.get());
    return result;
  }

  std::map<const Node*, bool> has_barrier_;
  std::vector<const Node*> in_order_;
};

/// "union_with makes 4 partitions of 2 and 2"
std::string what_changes(const Node& x) {
  auto name = x.kind == NodeKind::united ? std::string{"union_with"} : x.what;
  auto result
      = name + " makes " + std::to_string(x.partitions) + " partitions of ";
  for (std::size_t i = 0; i < x.parents.size(); ++i)
    result
        += (i == 0 ? "" : " and ") + std::to_string(x.parents[i]->partitions);
  return result;
}

Error refused(const std::string& why) {
  return invalid("a barrier stage cannot run so: " + why);
}

} // namespace

bool has_barrier(const Node& last) {
  return StageNodes{last}.has_barrier(last);
}

Status may_begin_together(const Node& last) {
  StageNodes stage{last};
  if (!stage.has_barrier(last))
    return {};
  for (const auto* node : stage.in_order()) {
    if (node->kind == NodeKind::united || node->kind == NodeKind::coalesced)
      if (node->partitions != node->parents.front()->partitions)
        return refused(
            what_changes(*node)
            + ", and all tasks of the stage begin together, with a partition "
              "each. Put a shuffle between it and the barrier");
    if (stage.barriers_before(*node) > 1)
      return refused(node->what
                     + " is of two datasets that have a barrier each, and it "
                       "would not be clear whom barrier() waits for. Put a "
                       "shuffle behind one of them");
  }
  return {};
}

Status may_begin_together(const Node& last, const Action& action) {
  if (action.partitions == last.partitions || !has_barrier(last))
    return may_begin_together(last);
  return refused(
      action.what + " looks at " + std::to_string(action.partitions) + " of "
      + std::to_string(last.partitions)
      + " partitions, and all tasks begin together. Call collect, and "
        "take the first ones of its result");
}

} // namespace stoker::jobs
