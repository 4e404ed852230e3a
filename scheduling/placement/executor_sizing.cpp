#include "scheduling/placement/executor_sizing.hpp"

#include <algorithm>
#include <cassert>

namespace stoker {

namespace {

constexpr int medium_cores = 8;

/// In MB for each core.
constexpr std::int64_t usual_memory = 512;
constexpr std::int64_t scarce_memory = 256;

int executor_cores(const FreeCensus& census, int request_cores) {
  auto result = census.smallest().cores;
  for (auto cores : {medium_cores, executor_cores_max}) {
    auto most_have = census.usable(cores) * 2 > census.usable();
    auto is_large = static_cast<std::size_t>(request_cores)
                    >= census.usable() * static_cast<std::size_t>(cores);
    if (cores > result && most_have && is_large)
      result = cores;
  }
  return std::min(result, request_cores);
}

} // namespace

void FreeCensus::set(std::uint32_t number, int cores, std::int64_t memory_mb) {
  erase(number);
  if (cores < smallest_.cores || memory_mb < smallest_.memory_mb)
    return;
  workers_[number] = {cores, memory_mb};
  usable_.insert(memory_mb);
  if (cores >= medium_cores)
    with_8_.insert(memory_mb);
  if (cores >= executor_cores_max)
    with_16_.insert(memory_mb);
}

void FreeCensus::erase(std::uint32_t number) {
  auto i = workers_.find(number);
  if (i == workers_.end())
    return;
  auto [cores, memory_mb] = i->second;
  usable_.erase(usable_.find(memory_mb));
  if (cores >= medium_cores)
    with_8_.erase(with_8_.find(memory_mb));
  if (cores >= executor_cores_max)
    with_16_.erase(with_16_.find(memory_mb));
  workers_.erase(i);
}

std::optional<std::int64_t> FreeCensus::least_memory_mb(int cores) const {
  const auto& memories = memory_of(cores);
  if (memories.empty())
    return std::nullopt;
  return *memories.begin();
}

const FreeCensus::Memories& FreeCensus::memory_of(int cores) const {
  if (cores <= smallest_.cores)
    return usable_;
  assert(cores == medium_cores || cores == executor_cores_max);
  return cores == medium_cores ? with_8_ : with_16_;
}

ExecutorSize size_executor(const FreeCensus& census, int request_cores,
                           std::optional<std::int64_t> memory_per_task_mb) {
  assert(request_cores > 0);
  ExecutorSize result{executor_cores(census, request_cores), 0};
  auto per_core = usual_memory;
  if (memory_per_task_mb)
    per_core = *memory_per_task_mb;
  else if (auto least = census.least_memory_mb(result.cores);
           least && *least <= scarce_memory * result.cores)
    per_core = scarce_memory;
  result.memory_mb = per_core * result.cores;
  return result;
}

} // namespace stoker
