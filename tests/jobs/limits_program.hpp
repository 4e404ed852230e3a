#pragma once

#include <string>

#include "jobs/jobs.hpp"

namespace stoker::test {

/// Adds what these jobs need: "large" has 16 MB for the tables of a task, "endless" an
/// executor of two cores.
void configure_limits(const std::string& what, jobs::ContextConfig& config);

/// A partition of 300 MB, by an operation. Says what came of it, and whether the executor
/// stayed below the 64 MB that it was given.
void run_large(const jobs::Context& context);

/// Tasks that do not end by themselves, in jobs that fail. Says each time whether the next
/// job has the same executor, with all of its cores.
void run_endless(const jobs::Context& context, const std::string& directory);

} // namespace stoker::test
