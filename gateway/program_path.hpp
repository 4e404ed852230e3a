#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// Returns the path of a driver's program, which has to be the same file on each worker.
/// @param url a path as it is, or a URL with `file:` or `local:`, where "%20" is a blank
/// @return `Errc::invalid_request` for others, which would have to be fetched
Result<std::string> program_path(const std::string& url);

/// Returns the URL of a path, as Spark's workers read it.
std::string program_url(const std::string& path);

} // namespace stoker
