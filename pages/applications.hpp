#pragma once

#include <cstdint>
#include <vector>

#include "messages/administration.hpp"
#include "messages/named_resources.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

Table applications_table(const std::vector<ApplicationInfo>& applications,
                         Paging paging, std::int64_t now_ms);

/// @param resources that each of its executors asks for
std::vector<Fact> facts_of(const ApplicationInfo& x,
                           const ResourceAmounts& resources,
                           std::int64_t now_ms);

} // namespace stoker::pages
