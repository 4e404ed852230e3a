#pragma once

// What the files of the MASTER share: its steps, and its leaderships.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "actors/master.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

// -- step, commit, then send --------------------------------------------------

/// Turns what was decided into what answers the request that caused it.
using AnswerMaker = std::function<std::function<void(const caf::error&)>(
    std::optional<Answer> decided)>;

/// Steps the state machine and has the consequences carried out. `from` is who
/// sent the event, for the message log.
void apply(MasterSelf self, const Event& event, const EndpointId& from = {},
           const AnswerMaker& answer = {});

/// Says it when all that it presumes is committed.
void say(MasterSelf self, Changes changes, Outbox outbox);

/// What those are told who ask a master that does not lead.
caf::error not_alive();

/// Like `apply`, for events that are requests. A standby knows nothing: who asks
/// it is to ask the next master.
template <class T>
caf::result<T> ask(MasterSelf self, const Event& event) {
  if (self->state.cluster->status() == RecoveryState::STANDBY)
    return not_alive();
  auto promise = self->make_response_promise<T>();
  apply(self, event, {}, [promise](std::optional<Answer> decided) {
    return [promise, decided](const caf::error& problem) mutable {
      if (problem)
        promise.deliver(problem);
      else if (!decided)
        promise.deliver(not_alive());
      else
        promise.deliver(std::get<T>(std::move(*decided)));
    };
  });
  return promise;
}

/// Answers a question about this master, once what it tells is committed.
template <class T>
caf::result<T> tell_anyway(MasterSelf self, T answer) {
  if (!self->state.queue.waits())
    return answer;
  auto promise = self->make_response_promise<T>();
  say(self, {},
      {{},
       [promise,
        answer = std::move(answer)](const caf::error& problem) mutable {
         if (problem)
           promise.deliver(problem);
         else
           promise.deliver(std::move(answer));
       }});
  return promise;
}

/// Answers a question about the cluster, once what it tells is committed. A
/// master that does not lead knows nothing of the cluster.
template <class T>
caf::result<T> tell(MasterSelf self, T answer) {
  if (self->state.cluster->status() == RecoveryState::STANDBY)
    return not_alive();
  return tell_anyway(self, std::move(answer));
}

// -- leaderships -------------------------------------------------------------

/// Tries to lead from `after` on, until it does.
void contend(MasterSelf self, std::chrono::milliseconds after);

/// Ends a leadership: what was not committed is forgotten, so it is not said
/// either. Peers look for another master, which may be this one.
void stand_by(MasterSelf self, const std::string& why);

// -- connections --------------------------------------------------------------

/// Fails what was passed on to a worker and will not be answered any more.
void abandon_requests(MasterSelf self, const caf::actor_addr& worker);

} // namespace stoker
