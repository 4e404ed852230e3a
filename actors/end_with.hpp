#pragma once

#include <caf/scheduled_actor.hpp>

namespace stoker {

/// Lets an actor end when one does that it asks. CAF answers no question that the other had
/// begun to answer, so that the actor would wait out its patience, and its process for it.
template <class Self, class Handle>
void end_with(Self self, const Handle& other) {
  self->monitor(other);
  self->set_down_handler([self](const caf::down_msg&) { self->quit(); });
}

} // namespace stoker
