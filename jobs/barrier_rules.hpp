#pragma once

// Which datasets can be a barrier stage (document 003): all of its tasks begin together,
// so all of its partitions are needed, and those of everything in it.

#include "jobs/graph.hpp"
#include "jobs/plan.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

/// Whether a stage that ends with the node is a barrier stage: a dataset in it is a
/// barrier, up to shuffles and sources.
bool has_barrier(const Node& last);

/// Fails, naming what is in the way, if the stage is a barrier stage and: another number
/// of partitions comes in somewhere (union_with, coalesce); or a dataset in it is made of
/// two that have a barrier each (zip, zip_partitions, join).
Status may_begin_together(const Node& last);

/// The same for the last stage. Also fails if not all partitions are wanted (take,
/// first).
Status may_begin_together(const Node& last, const Action& action);

} // namespace stoker::jobs
