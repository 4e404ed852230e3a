#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/queues.hpp"
#include "pages/queues.hpp"
#include "storage/stored_tables.hpp"

namespace stoker {

/// Finds what applications and drivers that wait in queues ask for.
/// @return by id, without those that the tables do not have
std::map<std::string, pages::QueuedRequest>
requests_of(const StoredTables& tables,
            const std::vector<WaitingApplication>& queued);

} // namespace stoker
