#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/administration.hpp"

namespace stoker {

/// What somebody wants to see of a cluster's state. All that is set has to hold.
struct StatusFilter {
  std::optional<std::string> user;

  /// Of workers, applications, executors and drivers alike, as "RUNNING".
  std::optional<std::string> state;

  /// Nothing that has ended, and no dead worker.
  bool only_active = false;
  std::optional<AppId> app_id;
  std::optional<DriverId> driver_id;
  std::optional<WorkerId> worker_id;
};

/// Whether something can be in this state.
[[nodiscard]] bool is_state(const std::string& name);

/// Returns the names of these states, in lower case as people write them.
[[nodiscard]] std::vector<std::string> state_names();

/// The same, of jobs and of their stages.
[[nodiscard]] bool is_job_state(const std::string& name);
[[nodiscard]] std::vector<std::string> job_state_names();
[[nodiscard]] bool is_stage_state(const std::string& name);
[[nodiscard]] std::vector<std::string> stage_state_names();

/// Takes out what is not wanted. Of applications that stay, executors go by the
/// state and the worker alone if `executors_alone`, and the applications that have
/// none of them stay away, too.
void filter(MasterStateResponse& state, const StatusFilter& wanted,
            bool executors_alone = false);

} // namespace stoker
