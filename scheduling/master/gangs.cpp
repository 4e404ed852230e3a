#include "scheduling/master/gangs.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/reservations.hpp"

namespace stoker {

namespace {

/// It waits from now on, and may reserve when it has waited for long enough.
void wait_anew(Step& step, QueuePosition gang) {
  auto when = step.now() + step.config().gang_reserve_after;
  step.state.gangs.wait_anew(gang, when);
  step.check_at(when, Due::gang, number_of(gang.app));
}

/// Begins to keep room for the first that has waited for long enough, unless it is kept
/// for another one. Those for which there are too few workers wait anew.
void reserve_for_next(Step& step) {
  auto& state = step.state;
  if (state.gangs.reserving())
    return;
  state.gangs.advance(step.now());
  while (auto next = state.gangs.first_ready()) {
    const auto& app = state.applications.at(next->app);
    auto shape = app.shape();
    auto gang = gang_of(app);
    if (state.capacity.slots_in_all(shape, gang) < gang) {
      wait_anew(step, *next);
      continue;
    }
    auto until = step.now() + step.config().reservation_timeout;
    state.gangs.begin(*next);
    state.reservations.begin(next->app, std::move(shape), until);
    step.check_at(until, Due::gang, number_of(next->app));
    return step.schedule_pass();
  }
}

void end_reservation(Step& step, QueuePosition gang) {
  release_reservations(step, gang.app);
  wait_anew(step, gang);
  reserve_for_next(step);
}

void leave(Step& step, QueuePosition gang) {
  auto& gangs = step.state.gangs;
  auto reserves = gangs.reserving() == gang;
  gangs.erase(gang);
  if (!reserves)
    return;
  release_reservations(step, gang.app);
  reserve_for_next(step);
}

/// A worker as it is when some of its programs have ended.
struct FreedWorker {
  ExecutorSize free;
  NamedResources named;

  [[nodiscard]] std::int64_t slots(const ExecutorShape& shape) const {
    auto result = std::min<std::int64_t>(slots_in(free, shape.size),
                                         named.times(shape.needs.named));
    return shape.one_each ? std::min<std::int64_t>(result, 1) : result;
  }

  void give_back(const Allotment& x) {
    free.cores += x.size.cores;
    free.memory_mb += x.size.memory_mb;
    named.give_back(x.resources);
  }
};

/// How many executors there is room for when those of `end` have ended, too.
class Freed {
public:
  /// @param kept what is kept for the gang already; null if nothing is
  Freed(const ClusterState& state, const ExecutorShape& shape,
        const Reservation* kept)
      : state_(state), shape_(shape) {
    if (kept == nullptr)
      return;
    // With the rest of a place that is lent in part, the gang has all of it.
    for (const auto& x : kept->places)
      if (x.part)
        worker(x.worker).give_back(kept->allotment(x));
      else if (shape.one_each)
        taken_.insert(x.worker);
  }

  /// How many more fit then.
  std::int64_t add(const Application& ending) {
    std::int64_t result = 0;
    for (const auto& [id, executor] : ending.executors.present()) {
      const auto& account = state_.capacity.account(executor.worker);
      if (account.state != WorkerState::ALIVE || account.rests
          || !account.kinds.contains(shape_.needs.kind)
          || taken_.contains(executor.worker))
        continue;
      auto& freed = worker(executor.worker);
      auto before = freed.slots(shape_);
      freed.give_back(allotment_of(executor.stored));
      result += freed.slots(shape_) - before;
    }
    return result;
  }

private:
  FreedWorker& worker(WorkerKey key) {
    const auto& account = state_.capacity.account(key);
    return workers_.try_emplace(key, FreedWorker{account.free(), account.named})
        .first->second;
  }

  const ClusterState& state_;
  const ExecutorShape& shape_;
  std::unordered_map<WorkerKey, FreedWorker> workers_;

  /// Where the gang has a whole place already and may have no other.
  std::unordered_set<WorkerKey> taken_;
};

} // namespace

void follow_gang(Step& step, const Application& app, bool wants) {
  auto position = *app.position();
  auto& state = step.state;
  if (app.stored.description.time_limit_ms)
    state.time_limits.set_waiting(position, wants);
  if (step.config().gang_reserve_after <= Duration::zero())
    return;
  if (!wants || executors_at_once(app) == 1)
    return leave(step, position);
  auto when = step.now() + step.config().gang_reserve_after;
  if (state.gangs.add(position, when))
    step.check_at(when, Due::gang, number_of(app.key()));
  // Its executors are sized anew when no worker can hold them.
  if (const auto* kept = state.reservations.find(app.key());
      kept != nullptr && kept->shape != app.shape())
    end_reservation(step, position);
}

void forget_gang(Step& step, const Application& app) {
  step.state.time_limits.forget(app.key());
  if (!app.position())
    return;
  step.state.time_limits.set_waiting(*app.position(), false);
  leave(step, *app.position());
}

void check_gang(Step& step, AppKey key) {
  auto& state = step.state;
  if (!state.applications.contains(key))
    return;
  auto position = state.applications.at(key).position();
  auto may_reserve
      = position ? state.gangs.may_reserve(*position) : std::nullopt;
  if (!may_reserve)
    return;
  if (const auto* kept = state.reservations.find(key)) {
    if (kept->until <= step.now())
      return end_reservation(step, *position);
    return step.check_at(kept->until, Due::gang, number_of(key));
  }
  if (*may_reserve > step.now())
    return step.check_at(*may_reserve, Due::gang, number_of(key));
  reserve_for_next(step);
}

void postpone_gangs(Step& step, Duration by) {
  step.state.gangs.postpone(by);
}

bool is_reserving(const ClusterState& state, const Application& app) {
  return state.reservations.find(app.key()) != nullptr;
}

bool gather_room(Step& step, AppKey key) {
  auto at_once = executors_at_once(step.state.applications.at(key));
  release_unusable(step, key);
  complete_places(step, key, at_once);
  reserve_free(step, key, at_once);
  return step.state.reservations.find(key)->count() >= at_once;
}

int room_for_gang(const ClusterState& state, const Application& app) {
  const auto shape = app.shape();
  const auto* kept = state.reservations.find(app.key());
  if (kept == nullptr)
    return state.capacity.slots(shape, executors_at_once(app));
  auto missing = std::max(executors_at_once(app) - kept->count(), 0);
  auto has_room = [&](const ReservedPlace& x) {
    return state.capacity.account(x.worker).state == WorkerState::ALIVE
           && state.capacity.has_room(x.worker, shape.size, shape.needs);
  };
  // A worker where such a gang has a place may have room for another one, which is of no use.
  auto useless = shape.one_each ? static_cast<int>(std::count_if(
                     kept->places.begin(), kept->places.end(), has_room))
                                : 0;
  return kept->count() + state.capacity.slots(shape, missing + useless)
         - useless;
}

std::optional<GangStart> earliest_start(const ClusterState& state,
                                        const Application& app) {
  std::int64_t missing = executors_at_once(app) - room_for_gang(state, app);
  auto shape = app.shape();
  Freed freed{state, shape, state.reservations.find(app.key())};
  for (const auto& [end, key] : state.time_limits.ends()) {
    if (missing <= 0 || key == app.key())
      continue;
    auto gained = freed.add(state.applications.at(key));
    auto needed = std::min(gained, missing);
    missing -= gained;
    if (missing <= 0)
      return GangStart{std::max(end, state.now), key, static_cast<int>(needed)};
  }
  return std::nullopt;
}

} // namespace stoker
