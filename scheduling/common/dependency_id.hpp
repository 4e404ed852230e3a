#pragma once

#include <string>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"

namespace stoker {

/// What somebody waits for who names it by its id.
/// @param success Whether it has to end well.
/// Fails with `Errc::invalid_request`, if that is the id of no application or driver.
Result<Dependency> dependency_on(const std::string& id, bool success);

} // namespace stoker
