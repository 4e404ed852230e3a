#pragma once

#include <cstdint>
#include <vector>

#include "messages/administration.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

Table drivers_table(const std::vector<DriverInfo>& drivers, Paging paging,
                    std::int64_t now_ms);
std::vector<Fact> facts_of(const DriverInfo& x, std::int64_t now_ms);

} // namespace stoker::pages
