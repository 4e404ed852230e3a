#include "scheduling/jobs/stage_needs.hpp"

#include <cassert>
#include <utility>
#include <vector>

namespace stoker {

void StageNeeds::add(const StageSpec& spec) {
  auto& node = nodes_[spec.id];
  assert(!node.known);
  node.known = true;
  for (const auto& x : spec.reads) {
    if (!node.reads.insert(x.stage).second)
      continue;
    auto& read = nodes_[x.stage];
    read.readers.insert(spec.id);
    node.missing += read.complete ? 0 : 1;
  }
  update(spec.id);
}

void StageNeeds::erase(StageId id) {
  auto& node = nodes_.at(id);
  assert(node.known && node.needed_readers == 0);
  node.known = node.wanted = false;
  update(id);
  set_complete(id, false);
  for (auto read : std::exchange(node.reads, {})) {
    nodes_.at(read).readers.erase(id);
    drop_if_unused(read);
  }
  node.missing = 0;
  drop_if_unused(id);
}

void StageNeeds::want(StageId id) {
  assert(nodes_.at(id).known);
  nodes_.at(id).wanted = true;
  update(id);
}

void StageNeeds::set_complete(StageId id, bool value) {
  auto& node = nodes_.at(id);
  if (node.complete == value)
    return;
  node.complete = value;
  for (auto x : node.readers) {
    auto& reader = nodes_.at(x);
    reader.missing += value ? -1 : 1;
    if (reader.needed)
      changed_.insert(x);
  }
  update(id);
}

bool StageNeeds::is_ready(StageId id) const {
  auto found = nodes_.find(id);
  return found != nodes_.end() && found->second.needed
         && found->second.missing == 0;
}

std::set<StageId> StageNeeds::take_changed() {
  return std::exchange(changed_, {});
}

void StageNeeds::update(StageId first) {
  // Without recursion: a chain of stages may be long.
  std::vector<StageId> left{first};
  while (!left.empty()) {
    auto id = left.back();
    left.pop_back();
    auto& node = nodes_.at(id);
    auto needed = node.known && !node.complete
                  && (node.wanted || node.needed_readers > 0);
    if (needed == node.needed)
      continue;
    node.needed = needed;
    changed_.insert(id);
    for (auto read : node.reads) {
      nodes_.at(read).needed_readers += needed ? 1 : -1;
      left.push_back(read);
    }
  }
}

void StageNeeds::drop_if_unused(StageId id) {
  auto found = nodes_.find(id);
  if (!found->second.known && found->second.readers.empty())
    nodes_.erase(found);
}

} // namespace stoker
