#pragma once

// What people read of queues, besides what stands in them.

#include <string>
#include <vector>

#include "messages/queues.hpp"

namespace stoker {

/// Whether more is admitted, in a sentence.
std::string room_sentence(const QueuesResponse& x);

/// Of each that waits, its place in the queue of its user: 1 is the next of him.
std::vector<int> places_in_queues(const QueuesResponse& x);

} // namespace stoker
