#pragma once

#include <cstdint>
#include <ostream>

#include "messages/jobs_report.hpp"

namespace stoker {

// Tables of what drivers say of their jobs, for people: what goes on before what has
// ended. `now_ms`: milliseconds since 1970, for how long something has lasted that
// goes on.

void print_jobs(std::ostream& out, const JobsResponse& x, std::int64_t now_ms);
void print_stages(std::ostream& out, const JobsResponse& x,
                  std::int64_t now_ms);

} // namespace stoker
