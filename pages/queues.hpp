#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/queues.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// Companies, and below each its users: what each has, and who is asked next.
Table companies_table(const TenantsView& x);

/// Those that are served, in this order.
Table served_table(const QueuesResponse& x);

/// What one that waits to be served asks for.
struct QueuedRequest {
  Resources asked;

  /// Milliseconds since 1970.
  std::int64_t submitted_ms = 0;
};

/// Those that wait to be served, in the order in which they came.
/// @param requests by id, as far as they are known
Table queued_table(const QueuesResponse& x,
                   const std::map<std::string, QueuedRequest>& requests,
                   std::int64_t now_ms);

} // namespace stoker::pages
