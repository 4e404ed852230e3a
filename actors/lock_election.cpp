#include "actors/lock_election.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "scheduling/leadership/leadership_timing.hpp"

namespace stoker {

namespace {

using ElectionSelf = LockElectionActor::stateful_pointer<LockElectionState>;

/// A process that was killed is gone by then, if the kernel can end it.
constexpr int looks_until_lock_is_put_aside = 3;

/// People are told of one reason at most in so long.
constexpr Duration tell_every = std::chrono::seconds{1};

void tick_after(ElectionSelf self, std::chrono::milliseconds pause) {
  self->delayed_send(self, pause, ElectionTick{++self->state.last_tick});
}

/// Ends a leader that hangs.
void look_after_leader(LockElectionState& state) {
  auto now = state.clock->now();
  if (now < state.look_at)
    return;
  state.look_at = now + beat_every;
  const auto& [directory, database, timeout] = state.config;
  auto holder = read_lock_holder(directory);
  auto same = state.watch.look(holder ? to_string(*holder) : "");
  auto patience = std::max<std::int64_t>(timeout / beat_every, 1);
  if (same < patience)
    return;
  auto seconds = beat_every * same / std::chrono::seconds{1};
  if (same < patience + looks_until_lock_is_put_aside
      && end_lock_holder(*holder)) {
    if (same == patience)
      spdlog::warn("[leader-hangs] process {} leads and has shown no sign of "
                   "life for {} s: it is killed",
                   holder->process.pid, seconds);
    return;
  }
  spdlog::warn("[leader-hangs] process {} leads, has shown no sign of life for "
               "{} s and cannot be killed from here: its lock is put aside",
               holder->process.pid, seconds);
  DataDirectory::put_lock_aside(directory);
}

/// @param why Empty: another one leads.
void tell_of_obstacle(LockElectionState& state, const std::string& why) {
  auto now = state.clock->now();
  // It is looked for many times a second, and may be another one each time.
  if (state.told != why && now >= state.tell_at) {
    spdlog::info("[standby] STANDBY: {}",
                 why.empty() ? "another master leads; this one takes over when "
                               "that one ends"
                             : why);
    state.told = why;
    state.tell_at = now + tell_every;
  }
  if (state.asks_for_obstacle.pending() && state.known_obstacle != why)
    std::exchange(state.asks_for_obstacle, {}).deliver(why);
}

void contend(ElectionSelf self) {
  auto& state = self->state;
  auto opened = DataDirectory::open(
      state.config.directory, state.was_there ? DataDirectory::Missing::refuse
                                              : DataDirectory::Missing::create);
  state.was_there |= opened || opened.code() == Errc::in_use;
  if (!opened) {
    if (opened.code() == Errc::in_use)
      look_after_leader(state);
    tell_of_obstacle(state, opened.code() == Errc::in_use
                                ? std::string{}
                                : opened.error().message);
    return tick_after(self, contend_every);
  }
  state.told.reset();
  state.held.emplace(*std::move(opened));
  std::exchange(state.contender, {}).deliver(true);
  if (state.asks_for_obstacle.pending())
    std::exchange(state.asks_for_obstacle, {}).deliver(std::string{});
  tick_after(self, check_lock_every);
}

std::string taken_away(const LockElectionState& state) {
  return "the lock of " + state.config.directory
         + " was taken away: its file was removed or replaced";
}

void check(ElectionSelf self) {
  auto& state = self->state;
  std::string problem;
  if (!state.held->is_locked())
    problem = taken_away(state);
  else if (!state.config.database.empty()
           && ::access(state.config.database.c_str(), F_OK) != 0)
    problem = "the database " + state.config.database
              + " cannot be found any more: " + std::strerror(errno);
  if (problem.empty())
    return tick_after(self, check_lock_every);
  state.held.reset();
  if (state.leader.pending())
    std::exchange(state.leader, {}).deliver(problem);
}

} // namespace

LockElectionActor::behavior_type lock_election(ElectionSelf self,
                                               LockElectionConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  self->state.clock.emplace(self->clock());
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
      [self](const AwaitObstacle& x) {
        auto promise = self->make_response_promise<std::string>();
        self->state.asks_for_obstacle = promise;
        self->state.known_obstacle = x.known;
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
      [self](const ShowThatItLeads&) {
        if (self->state.held)
          self->state.held->show_life();
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
