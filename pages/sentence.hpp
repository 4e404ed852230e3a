#pragma once

#include <string>

namespace stoker::pages {

/// "it is so" -> "It is so.": with a capital, unless it begins with an id, and with a stop.
std::string sentence(std::string x);

} // namespace stoker::pages
