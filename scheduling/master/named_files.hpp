#pragma once

// Whose files programs name, and who may have them. Where the files are, a master's logic
// does not know.

#include <functional>
#include <string>

#include "messages/files.hpp"
#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"
#include "scheduling/master/ownership.hpp"

namespace stoker {

/// Calls it for each file of what waits or runs, and with who has proven to have submitted
/// that, as in RegisterApplication.
void for_each_named_file(const ClusterState& state,
                         const std::function<void(const std::string& identity,
                                                  const CommandFile&)>& visit);

/// In whose name the file was stored that a worker asks for: it may have those of programs
/// that it is to start, or runs.
/// @return Errc::not_allowed, with what is wrong
[[nodiscard]] Result<std::string> owner_of_file(const ClusterState& state,
                                                const FetchFilePart& x,
                                                const Speaker& who);

} // namespace stoker
