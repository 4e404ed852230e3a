#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// A directory of their own for the outputs that a worker of this process serves, and
/// that nobody goes on to serve after it: WORK_DIRECTORY/.outputs/PROCESS-WORKER.
/// Removes what processes have left there that died. Fails with `Errc::io`.
/// @param worker Its number in this process.
Result<std::string> own_output_directory(const std::string& work_directory,
                                         int worker);

/// The address at which a worker serves outputs: only its own machine reaches a
/// cluster whose master is on the loopback interface.
/// @param host How others reach the worker.
std::string output_host(const std::string& master_host,
                        const std::string& host);

} // namespace stoker
