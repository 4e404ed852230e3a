#pragma once

#include <vector>

#include "messages/administration.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

Table workers_table(const std::vector<WorkerInfo>& workers, Paging paging);
std::vector<Fact> facts_of(const WorkerInfo& x);

} // namespace stoker::pages
