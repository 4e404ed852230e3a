#include "actors/master_following.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "actors/master_answers.hpp"
#include "scheduling/master/program_ends.hpp"

namespace stoker {

namespace {

/// At once. What they keep in memory is little.
constexpr std::size_t followers_max = 10'000;

/// How often followers are looked at, although nothing was committed: their time may be up,
/// or this master does not lead any more.
constexpr std::chrono::seconds look_pause{1};

void look_later(MasterSelf self) {
  if (std::exchange(self->state.looks_for_followers, true))
    return;
  self->delayed_send(self, look_pause, CheckFollowers{});
}

/// Keeps an open question.
/// @param answer Is told whether the time is up; returns whether it has answered.
template <class Answer>
void keep(MasterSelf self, Duration patience, Answer answer) {
  auto& state = self->state;
  state.followers.push_back({state.clock->now() + patience, std::move(answer)});
  look_later(self);
}

/// Answers each that can be answered, or whose time is up.
void look(MasterSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  // An answer may let others ask.
  for (auto& x : std::exchange(state.followers, {}))
    if (!x.answer(now >= x.until))
      state.followers.push_back(std::move(x));
}

bool has_too_many(MasterSelf self) {
  return self->state.followers.size() >= followers_max;
}

caf::error too_many() {
  return to_caf_error(
      {Errc::failed, "too many commands wait for the master; try again"});
}

} // namespace

caf::result<EndsResponse> follow(MasterSelf self, const RequestEnds& x) {
  if (in_standby(self))
    return refusal_of_standby();
  if (x.apps.size() + x.drivers.size() > ends_asked_max)
    return to_caf_error(invalid("one request is about at most "
                                + std::to_string(ends_asked_max)
                                + " programs"));
  auto promise = self->make_response_promise<EndsResponse>();
  auto answer = [self, promise, x](bool now) mutable {
    if (in_standby(self)) {
      promise.deliver(refusal_of_standby());
      return true;
    }
    const auto& state = cluster_of(self).state();
    if (!now && !all_have_ended(state, x))
      return false;
    deliver_when_committed(self, promise, program_ends(state, x));
    return true;
  };
  if (answer(x.wait_ms <= 0))
    return promise;
  if (has_too_many(self))
    return too_many();
  keep(self, following_time(x), std::move(answer));
  return promise;
}

caf::result<ChangePosition> follow(MasterSelf self, const AwaitChange& x) {
  if (in_standby(self))
    return refusal_of_standby();
  auto promise = self->make_response_promise<ChangePosition>();
  auto answer = [self, promise, after = x.after](bool now) mutable {
    if (in_standby(self)) {
      promise.deliver(refusal_of_standby());
      return true;
    }
    ChangePosition present{cluster_of(self).epoch(),
                           self->state.last_published};
    if (!now && present == after)
      return false;
    promise.deliver(present);
    return true;
  };
  if (answer(x.wait_ms <= 0))
    return promise;
  if (has_too_many(self))
    return too_many();
  keep(self, following_time(x), std::move(answer));
  return promise;
}

void answer_followers(MasterSelf self, std::uint64_t number) {
  self->state.last_published = number;
  if (!self->state.followers.empty())
    look(self);
}

void check_followers(MasterSelf self) {
  self->state.looks_for_followers = false;
  look(self);
  if (!self->state.followers.empty())
    look_later(self);
}

} // namespace stoker
