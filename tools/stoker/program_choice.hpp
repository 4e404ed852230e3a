#pragma once

#include <optional>
#include <string>

#include "messages/administration.hpp"
#include "messages/program_id.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The executor that runs, or ran last, for an instance of an application; without
/// an instance, that of the only one. Fails with a line that says what there is.
/// @param state Of the application.
Result<ExecutorId> find_executor(const MasterStateResponse& state,
                                 const AppId& id, std::optional<int> instance);

} // namespace stoker
