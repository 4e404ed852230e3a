#pragma once

// Stages: which of them are active, and what becomes of their outputs.

#include <string>

#include "scheduling/jobs/job_step.hpp"

namespace stoker {

/// Finds out which stages are active: some job needs their tasks, and what they read
/// is there.
void update_active_stages(JobStep& step);

/// Puts a stage where it belongs in the order, or all that have changed.
/// @pre the stages that are active are those that should be
void update_in_order(JobsState& state, StageId id);
void update_order(JobsState& state);

/// A stage has what it was to do.
void complete_stage(JobStep& step, Stage& stage);

/// An output cannot be read.
void lose_output(JobStep& step, const TaskAttempt& output, bool unreachable,
                 const std::string& why);

/// All outputs of a server are lost.
void lose_server(JobStep& step, int server, const std::string& why);

/// Lets nothing of it run any more.
void withdraw_attempts(JobStep& step, Stage& stage, const std::string& why);

} // namespace stoker
