#pragma once

#include <string>

namespace stoker {

/// The file that `path` stands for: itself, unless it is a symbolic link that leads
/// somewhere. SQLite follows links, and has the files beside a database there.
std::string followed_link(const std::string& path);

} // namespace stoker
