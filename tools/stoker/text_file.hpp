#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// What a file says that people wrote: a regular one of no more than 16 MB. Fails with
/// a line that names the file.
/// @param what What it is for, as "the configuration"
Result<std::string> read_text_file(const std::string& path,
                                   const std::string& what);

} // namespace stoker
