#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/administration.hpp"
#include "messages/descriptions.hpp"
#include "pages/table.hpp"

namespace stoker::pages {

/// Of what the executors in a table are.
enum class ExecutorsOf { application, worker };

Table executors_table(const std::vector<ExecutorInfo>& executors,
                      ExecutorsOf of, Paging paging, std::int64_t now_ms);

/// @param of its application
std::vector<Fact> facts_of(const ExecutorInfo& x,
                           const ApplicationDescription& of,
                           std::int64_t now_ms);

} // namespace stoker::pages
