#pragma once

#include "messages/queues.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// Companies, and below each its users: what each has, and who is asked next.
Table companies_table(const TenantsView& x);

/// Those that are served, in this order.
Table served_table(const QueuesResponse& x);

/// Those that wait to be served.
Table queued_table(const QueuesResponse& x);

} // namespace stoker::pages
