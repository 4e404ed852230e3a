#include "simulation/job_machines.hpp"

namespace stoker::simulation {

Machines::Machines(int count) {
  for (int i = 0; i < count; ++i)
    machines_.push_back({"host-" + std::to_string(i), 0, true, {}, {}});
}

Machines::Reading Machines::read(Instant now, const OutputServer& server,
                                 const TaskAttempt& id) const {
  for (const auto& x : machines_) {
    if (x.host != server.host)
      continue;
    if (!x.is_up || x.unreachable_until > now || x.server().id != server.id)
      return {std::nullopt, true};
    auto found = x.outputs.find(id);
    if (found == x.outputs.end() || found->second.is_damaged)
      return {};
    return {found->second.value, false};
  }
  return {std::nullopt, true};
}

void ExpectedValues::add(StageId stage, int tasks,
                         std::vector<StageDependency> reads) {
  stages_[stage] = {tasks, std::move(reads), {}};
}

std::uint64_t ExpectedValues::combine(StageId stage, int task,
                                      const std::vector<std::uint64_t>& read) {
  auto mix = [](std::uint64_t hash, std::uint64_t x) {
    return (hash ^ x) * 0x100000001b3U + (hash >> 29);
  };
  auto result = mix(
      mix(0xcbf29ce484222325U, static_cast<std::uint64_t>(stage.value) + 1),
      static_cast<std::uint64_t>(task) + 1);
  for (auto x : read)
    result = mix(result, x);
  return result;
}

std::uint64_t ExpectedValues::of(StageId stage, int task) {
  if (auto known = stages_.at(stage).values.find(task);
      known != stages_.at(stage).values.end())
    return known->second;
  std::vector<std::uint64_t> read;
  for (const auto& x : reads(stage)) {
    if (x.kind == DependencyKind::narrow) {
      read.push_back(of(x.stage, task));
      continue;
    }
    for (int from = 0; from < tasks(x.stage); ++from)
      read.push_back(of(x.stage, from));
  }
  auto result = combine(stage, task, read);
  stages_.at(stage).values[task] = result;
  return result;
}

} // namespace stoker::simulation
