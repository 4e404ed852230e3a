#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// The program as it is to be started: itself, if it is looked up, else its absolute
/// path. Fails with "there is no program 'foo'", or if none with that name can be
/// executed.
/// @param search_path As `PATH`: for a name without a slash.
/// @param directory Absolute: where relative names begin.
Result<std::string> find_program(const std::string& program,
                                 const std::string& search_path,
                                 const std::string& directory);

} // namespace stoker
