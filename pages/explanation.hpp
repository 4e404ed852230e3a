#pragma once

#include <string>
#include <vector>

#include "messages/planning.hpp"

namespace stoker::pages {

/// Why an application or a driver has what it has, in sentences, the most important first.
std::vector<std::string> sentences_of(const ExplanationResponse& x);

} // namespace stoker::pages
