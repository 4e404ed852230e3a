#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// What a program of a barrier task asks its executor, by the socket that its environment
/// names. Blocks.
/// @param request A line of JSON, without its end (docs/develop/protocol.md).
/// @param answer The name of what the answer has: "messages" or "tasks".
/// Fails with `Errc::invalid_request` where there is no such socket, with `Errc::io`, and
/// with `Errc::failed` and what the executor says.
Result<std::vector<std::string>> ask_at_barrier(const std::string& request,
                                                const std::string& answer);

} // namespace stoker
