#include "scheduling/jobs/stage_order.hpp"

#include <map>
#include <string>
#include <tuple>

namespace stoker {

namespace {

/// What is compared, of a pool or a stage.
struct Candidate {
  SchedulingMode mode = SchedulingMode::FIFO;
  int running = 0;
  int weight = 1;
  int min_share = 0;

  /// Of FIFO, and where shares are the same.
  JobId job;
  StageId stage;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    auto by_number
        = [&] { return std::tie(a.job, a.stage) < std::tie(b.job, b.stage); };
    if (a.mode == SchedulingMode::FIFO)
      return by_number();
    auto needy_a = a.running < a.min_share;
    auto needy_b = b.running < b.min_share;
    if (needy_a != needy_b)
      return needy_a;
    auto ratio = [&](const Candidate& x) {
      return static_cast<double>(x.running)
             / (needy_a ? x.min_share : x.weight);
    };
    if (ratio(a) != ratio(b))
      return ratio(a) < ratio(b);
    return by_number();
  }
};

const Job& first_job(const JobsState& state, const Stage& stage) {
  return state.jobs.at(*stage.jobs.begin());
}

PoolConfig pool_config(const JobsState& state, const std::string& name) {
  auto found = state.config.pools.find(name);
  return found == state.config.pools.end() ? PoolConfig{} : found->second;
}

/// The pools of some stages; with all that runs of theirs.
std::map<std::string, Candidate> pools_of(const JobsState& state,
                                          const std::set<StageId>& of) {
  std::map<std::string, Candidate> result;
  for (auto id : of) {
    const auto& stage = state.stages.at(id);
    const auto& job = first_job(state, stage);
    auto [pool, is_new] = result.try_emplace(job.spec.pool);
    auto& x = pool->second;
    if (is_new) {
      auto config = pool_config(state, job.spec.pool);
      x = {state.config.mode, 0,           config.weight,
           config.min_share,  job.spec.id, id};
    } else if (std::pair{job.spec.id, id} < std::pair{x.job, x.stage}) {
      x.job = job.spec.id;
      x.stage = id;
    }
  }
  for (auto id : state.active) {
    const auto& stage = state.stages.at(id);
    auto pool = result.find(first_job(state, stage).spec.pool);
    if (pool != result.end())
      pool->second.running += stage.running_cores;
  }
  return result;
}

} // namespace

std::optional<StageId> first_stage(const JobsState& state,
                                   const std::set<StageId>& of) {
  if (of.size() <= 1)
    return of.empty() ? std::nullopt : std::optional{*of.begin()};
  auto pools = pools_of(state, of);
  auto pool = pools.begin();
  for (auto i = pools.begin(); i != pools.end(); ++i)
    if (i->second < pool->second)
      pool = i;
  std::optional<std::pair<Candidate, StageId>> result;
  auto mode = pool_config(state, pool->first).mode;
  for (auto id : of) {
    const auto& stage = state.stages.at(id);
    const auto& job = first_job(state, stage);
    if (job.spec.pool != pool->first)
      continue;
    Candidate x{mode, stage.running_cores, 1, 0, job.spec.id, id};
    if (!result || x < result->first)
      result = {x, id};
  }
  return result->second;
}

} // namespace stoker
