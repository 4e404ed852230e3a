#pragma once

#include <string>

namespace stoker::pages {

/// Where what a program writes is shown as it comes.
/// @param path where it can be read
std::string output_html(const std::string& title, const std::string& path);

} // namespace stoker::pages
