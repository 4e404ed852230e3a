#pragma once

#include <ostream>

#include "messages/queues.hpp"

namespace stoker {

/// The tree of companies and users, if there is one, and those who are served.
void print_queues(std::ostream& out, const QueuesResponse& queues);

} // namespace stoker
