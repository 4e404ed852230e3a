#pragma once

#include <string>

#include <caf/result.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/leader_election.hpp"

namespace stoker::test {

/// Nobody ever lets a master lead.
inline LeaderElectionActor::behavior_type
never_elected(LeaderElectionActor::pointer self) {
  return {[self](const Contend&) -> caf::result<bool> {
            return self->make_response_promise<bool>();
          },
          [self](const AwaitObstacle&) -> caf::result<std::string> {
            return self->make_response_promise<std::string>();
          },
          [self](const AwaitRevocation&) -> caf::result<std::string> {
            return self->make_response_promise<std::string>();
          },
          [](const Resign&) {}, [](const ShowThatItLeads&) {}};
}

} // namespace stoker::test
