#include "scheduling/jobs/stage_order.hpp"

#include <tuple>

#include "scheduling/jobs/sending_ahead.hpp"

namespace stoker {

namespace {

PoolConfig pool_config(const JobsConfig& config, const std::string& name) {
  auto found = config.pools.find(name);
  return found == config.pools.end() ? PoolConfig{} : found->second;
}

template <class T>
void erase_one(std::multiset<T>& from, const T& value) {
  from.erase(from.find(value));
}

} // namespace

bool StageOrder::Rank::operator<(const Rank& other) const {
  if (mode == SchedulingMode::FIFO)
    return number < other.number;
  auto is_needy = running < min_share;
  if (is_needy != (other.running < other.min_share))
    return is_needy;
  auto ratio = [&](const Rank& x) {
    return static_cast<double>(x.running) / (is_needy ? x.min_share : x.weight);
  };
  return std::tuple{ratio(*this), number}
         < std::tuple{ratio(other), other.number};
}

void StageOrder::update(const JobsConfig& config, const Stage& stage,
                        const JobSpec& job) {
  auto id = stage.spec.id;
  forget(id);
  auto pool_of_job = pool_config(config, job.pool);
  Rank rank{pool_of_job.mode, stage.running_cores, 1, 0, {job.id, id}};
  auto cores = stage.spec.cores;
  auto [i, added] = places_.emplace(
      id, Place{job.pool, rank, stage.tasks->pending() > 0, cores,
                tasks_ahead_of_slot(config, stage) / cores,
                stage.barrier ? std::optional{cores_at_once(stage.spec)}
                              : std::nullopt,
                stage.looked_everywhere, stage.look_again});
  auto& pool = pools_[job.pool];
  take(pool);
  pool.rank.mode = config.mode;
  pool.rank.weight = pool_of_job.weight;
  pool.rank.min_share = pool_of_job.min_share;
  pool.rank.running += rank.running;
  ++pool.stages;
  if (i->second.waits)
    enter(pool, i->second);
  put(job.pool, pool);
}

void StageOrder::forget(StageId id) {
  auto found = places_.find(id);
  if (found == places_.end())
    return;
  const auto& place = found->second;
  auto pool = pools_.find(place.pool);
  take(pool->second);
  pool->second.rank.running -= place.rank.running;
  if (place.waits)
    leave(pool->second, place);
  if (--pool->second.stages == 0)
    pools_.erase(pool);
  else
    put(pool->first, pool->second);
  places_.erase(found);
}

void StageOrder::set_aside(StageId id) {
  auto& place = places_.at(id);
  auto& pool = pools_.at(place.pool);
  take(pool);
  leave(pool, place);
  place.waits = false;
  put(place.pool, pool);
}

std::optional<StageId> StageOrder::first() const {
  if (pools_in_order_.empty())
    return std::nullopt;
  const auto& pool = pools_.at(pools_in_order_.begin()->second);
  return pool.waiting.begin()->number.second;
}

void StageOrder::enter(Pool& pool, const Place& place) {
  pool.waiting.insert(place.rank);
  pool.numbers.insert(place.rank.number);
  if (place.at_once) {
    at_once_.insert(*place.at_once);
  } else {
    cores_.insert(place.cores);
    ahead_.insert(place.ahead);
  }
  if (!place.looked_everywhere)
    not_looked_at_.insert(place.rank.number.second);
  if (place.look_again)
    look_again_.emplace(*place.look_again, place.rank.number.second);
}

void StageOrder::leave(Pool& pool, const Place& place) {
  pool.waiting.erase(place.rank);
  pool.numbers.erase(place.rank.number);
  if (place.at_once) {
    erase_one(at_once_, *place.at_once);
  } else {
    erase_one(cores_, place.cores);
    erase_one(ahead_, place.ahead);
  }
  not_looked_at_.erase(place.rank.number.second);
  if (place.look_again)
    look_again_.erase({*place.look_again, place.rank.number.second});
}

void StageOrder::take(const Pool& pool) {
  if (!pool.waiting.empty())
    pools_in_order_.erase(pool.rank);
}

void StageOrder::put(const std::string& name, Pool& pool) {
  pool.rank.number = {};
  if (pool.waiting.empty())
    return;
  pool.rank.number = *pool.numbers.begin();
  pools_in_order_.emplace(pool.rank, name);
}

} // namespace stoker
