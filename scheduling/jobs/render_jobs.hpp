#pragma once

#include <string>

#include "scheduling/jobs/job_events.hpp"

namespace stoker {

// One line for people: the name, then each field that is set and not empty. For
// traces, logs and failing tests.

std::string to_string(const JobsEvent& x);
std::string to_string(const JobsEffect& x);

/// The same as `to_string`, at the end of `out`.
void append_to(std::string& out, const JobsEffect& x);

} // namespace stoker
