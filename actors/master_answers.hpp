#pragma once

// How a master answers what it is asked.

#include <string>
#include <utility>

#include <caf/typed_response_promise.hpp>

#include "actors/master.hpp"
#include "actors/master_actions.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

inline const Cluster& cluster_of(MasterSelf self) {
  return self->state.logic->cluster();
}

inline bool in_standby(MasterSelf self) {
  return cluster_of(self).status() == RecoveryState::STANDBY;
}

inline caf::error refusal_of_standby(MasterSelf self) {
  return to_caf_error(self->state.logic->standby_error());
}

/// Remembers how a request is answered.
inline RequestNumber remember(MasterSelf self, MasterState::Respond respond) {
  auto number = ++self->state.last_request;
  self->state.requests.emplace(number, std::move(respond));
  return number;
}

/// Answers once all that is known now is committed.
template <class T>
void deliver_when_committed(MasterSelf self,
                            caf::typed_response_promise<T> promise, T answer) {
  auto& state = self->state;
  if (!state.logic->has_uncommitted())
    return static_cast<void>(promise.deliver(std::move(answer)));
  auto number = remember(
      self, [promise, answer = std::move(answer)](
                const Result<std::optional<Answer>>& committed) mutable {
        if (committed)
          promise.deliver(std::move(answer));
        else
          promise.deliver(to_caf_error(committed.error()));
      });
  perform(self, state.logic->ask_after_commit(number));
}

} // namespace stoker
