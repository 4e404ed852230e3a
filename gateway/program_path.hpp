#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// The path of a driver's program, which has to be the same file on each worker: a path, or
/// a URL with `file:` or `local:`. Fails with `Errc::invalid_request` for others, which
/// would have to be fetched.
Result<std::string> program_path(const std::string& url);

} // namespace stoker
