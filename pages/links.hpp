#pragma once

// What leads from something to what is told of it elsewhere.

#include <string>

#include "pages/table.hpp"

namespace stoker::pages {

/// The events that name it.
/// @param id as "app-1", or "app-1/0" of an executor
std::string href_of_events(const std::string& id);

/// What the history has of it.
std::string href_of_history(const std::string& id);

/// Facts that lead there.
Fact link_to_events(const std::string& id);
Fact link_to_history(const std::string& id);

} // namespace stoker::pages
