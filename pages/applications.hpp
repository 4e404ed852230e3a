#pragma once

#include <cstdint>
#include <vector>

#include "messages/administration.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

Table applications_table(const std::vector<ApplicationInfo>& applications,
                         Paging paging, std::int64_t now_ms);
std::vector<Fact> facts_of(const ApplicationInfo& x, std::int64_t now_ms);

} // namespace stoker::pages
