#include "actors/lock_election.hpp"

#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "scheduling/leadership/leadership_timing.hpp"

namespace stoker {

namespace {

using ElectionSelf = LockElectionActor::stateful_pointer<LockElectionState>;

void tick_after(ElectionSelf self, std::chrono::milliseconds pause) {
  self->delayed_send(self, pause, ElectionTick{++self->state.last_tick});
}

void contend(ElectionSelf self) {
  auto& state = self->state;
  auto opened = DataDirectory::open(state.directory);
  if (!opened) {
    if (!std::exchange(state.told, true))
      spdlog::info("[standby] STANDBY: {}",
                   opened.code() == Errc::in_use
                       ? "another master leads; this one takes "
                         "over when that one ends"
                       : opened.error().message);
    return tick_after(self, contend_every);
  }
  state.told = false;
  state.held.emplace(*std::move(opened));
  std::exchange(state.contender, {}).deliver(true);
  tick_after(self, check_lock_every);
}

std::string taken_away(const LockElectionState& state) {
  return "the lock of " + state.directory
         + " was taken away: its file was removed or replaced";
}

void check(ElectionSelf self) {
  auto& state = self->state;
  if (state.held->is_locked())
    return tick_after(self, check_lock_every);
  state.held.reset();
  if (state.leader.pending())
    std::exchange(state.leader, {}).deliver(taken_away(state));
}

} // namespace

LockElectionActor::behavior_type lock_election(ElectionSelf self,
                                               std::string directory) {
  explain_exceptions(self);
  self->state.directory = std::move(directory);
  return {
      [self](const Contend& x) {
        auto promise = self->make_response_promise<bool>();
        self->state.contender = promise;
        if (x.after.count() == 0)
          contend(self);
        else
          tick_after(self, x.after);
        return promise;
      },
      [self](const AwaitRevocation&) {
        auto promise = self->make_response_promise<std::string>();
        auto& state = self->state;
        // It may have been taken away before anybody asked.
        if (state.held)
          state.leader = promise;
        else
          promise.deliver(taken_away(state));
        return promise;
      },
      [self](const Resign&) {
        self->state.held.reset();
        self->state.leader = {};
      },
      [self](const ElectionTick& x) {
        if (x.number != self->state.last_tick)
          return;
        if (self->state.held)
          check(self);
        else if (self->state.contender.pending())
          contend(self);
      },
  };
}

} // namespace stoker
