#include "scheduling/master/failed_starts.hpp"

#include <algorithm>

namespace stoker {

namespace {

/// How often the rest becomes twice as long.
constexpr int doublings_max = 5;

void end_rest(Step& step, WorkerKey key) {
  step.state.workers.edit(key).failed_starts.rests_until.reset();
  step.state.capacity.set_resting(key, false);
  step.schedule_pass();
}

} // namespace

void note_failed_start(Step& step, WorkerKey key, const std::string& why) {
  auto& x = step.state.workers.edit(key).failed_starts;
  auto backoff = step.config().worker_backoff;
  if (backoff <= Duration{} || x.rests_until)
    return;
  x.why = why;
  x.last = step.now();
  x.rests_until
      = step.now() + backoff * (1 << std::min(x.in_a_row, doublings_max));
  ++x.in_a_row;
  step.state.capacity.set_resting(key, true);
  step.check_at(*x.rests_until, Due::worker, number_of(key));
}

void note_start(Step& step, WorkerKey key, Instant launched) {
  auto& x = step.state.workers.edit(key).failed_starts;
  if (x.in_a_row > 0 && !x.rests_until && launched > x.last)
    x = {};
}

void forget_failed_starts(Step& step, WorkerKey key) {
  auto& x = step.state.workers.edit(key).failed_starts;
  if (x.rests_until)
    end_rest(step, key);
  x = {};
}

void check_rest(Step& step, WorkerKey key) {
  const auto& until = step.state.workers.at(key).failed_starts.rests_until;
  if (until && *until <= step.now())
    end_rest(step, key);
}

} // namespace stoker
