#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// " (did you mean 'shuffle'?)" for a word that nobody knows, if one of the choices
/// differs from it by a few letters; else nothing.
std::string did_you_mean(std::string_view word,
                         const std::vector<std::string_view>& choices);

} // namespace stoker
