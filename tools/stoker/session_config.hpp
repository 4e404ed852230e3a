#pragma once

#include <vector>

#include "embedding/job_session.hpp"
#include "embedding/job_settings.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

/// How long a command looks for its master, and for which ones.
RegistrationConfig registration_of(const AccessOptions& access,
                                   std::size_t masters);

/// Of a driver in this process, whose executors are `stoker executor`.
/// @param masters At least one.
JobSessionConfig session_config(const JobSettings& settings,
                                const AccessOptions& access,
                                const std::vector<MasterAddress>& masters);

} // namespace stoker
