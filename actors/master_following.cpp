#include "actors/master_following.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "actors/master_answers.hpp"
#include "scheduling/master/program_ends.hpp"

namespace stoker {

namespace {

using FollowerOf = MasterState::FollowerOf;

/// How often followers are looked at, although nothing was committed and nobody's time is up:
/// this master may not lead any more.
constexpr std::chrono::seconds look_pause{1};

/// Looks at ten thousand, each of whose time is up at another moment, would take all of it.
constexpr std::chrono::milliseconds shortest_look_pause{50};

/// Looks at followers when the time of one is up, or earlier.
void look_by(MasterSelf self, Instant until) {
  auto& state = self->state;
  auto now = state.clock->now();
  auto when
      = std::clamp<Instant>(until, now + shortest_look_pause, now + look_pause);
  if (state.next_look && *state.next_look <= when)
    return;
  state.next_look = when;
  self->scheduled_send(self, state.clock->at(when), CheckFollowers{});
}

/// Answers each that can be answered, or whose time is up.
void look(MasterSelf self, FollowerOf of) {
  auto& followers = self->state.followers[of];
  auto now = self->state.clock->now();
  // An answer may let others ask.
  for (auto& x : std::exchange(followers, {}))
    if (x.answer(now >= x.until))
      self->state.follower_places.release(x.who);
    else
      followers.push_back(std::move(x));
}

caf::error too_many() {
  return to_caf_error(
      {Errc::failed, "too many commands wait for the master; try again"});
}

/// Answers a question at once, if it can be, or keeps it open.
/// @param find What is to be answered, once what it tells is committed. Is told whether the
/// time is up: then there is an answer.
template <class Answer, class Question, class Find>
caf::result<Answer> answer_or_keep(MasterSelf self, const Question& x,
                                   const Speaker& who, FollowerOf of,
                                   Find find) {
  if (in_standby(self))
    return refusal_of_standby(self);
  auto promise = self->make_response_promise<Answer>();
  auto answer = [self, promise, find](bool time_is_up) mutable {
    if (in_standby(self)) {
      promise.deliver(refusal_of_standby(self));
      return true;
    }
    auto found = find(time_is_up);
    if (!found)
      return false;
    deliver_when_committed(self, promise, *std::move(found));
    return true;
  };
  if (answer(x.wait_ms <= 0))
    return promise;
  auto& places = self->state.follower_places;
  if (!places.has_place_for(who.identity))
    return promise.deliver(too_many());
  places.take(who.identity);
  auto until = self->state.clock->now() + following_time(x);
  self->state.followers[of].push_back({until, who.identity, std::move(answer)});
  look_by(self, until);
  spdlog::debug("[question-kept] a command waits for an end or for a change");
  return promise;
}

} // namespace

caf::result<EndsResponse> follow(MasterSelf self, const RequestEnds& x,
                                 const Speaker& who) {
  if (x.apps.size() + x.drivers.size() > ends_asked_max)
    return to_caf_error(invalid("one request is about at most "
                                + std::to_string(ends_asked_max)
                                + " programs"));
  return answer_or_keep<EndsResponse>(
      self, x, who, FollowerOf::ends,
      [self, x](bool time_is_up) -> std::optional<EndsResponse> {
        const auto& state = cluster_of(self).state();
        return time_is_up || all_have_ended(state, x)
                   ? std::optional{program_ends(state, x)}
                   : std::nullopt;
      });
}

caf::result<ChangePosition> follow(MasterSelf self, const AwaitChange& x,
                                   const Speaker& who) {
  return answer_or_keep<ChangePosition>(
      self, x, who, FollowerOf::changes,
      [self,
       after = x.after](bool time_is_up) -> std::optional<ChangePosition> {
        ChangePosition present{cluster_of(self).epoch(),
                               self->state.last_published};
        return time_is_up || present != after ? std::optional{present}
                                              : std::nullopt;
      });
}

void answer_followers(MasterSelf self, std::uint64_t number,
                      const Changes& changes) {
  auto& state = self->state;
  state.last_published = number;
  look(self, FollowerOf::changes);
  if (!state.followers[FollowerOf::ends].empty()
      && tell_of_ends(cluster_of(self).state(), changes))
    look(self, FollowerOf::ends);
}

void check_followers(MasterSelf self) {
  auto& state = self->state;
  // Another look has come before this one.
  if (state.next_look && state.clock->now() < *state.next_look)
    return;
  state.next_look.reset();
  look(self, FollowerOf::ends);
  look(self, FollowerOf::changes);
  for (const auto& [of, open] : state.followers)
    for (const auto& x : open)
      look_by(self, x.until);
}

} // namespace stoker
