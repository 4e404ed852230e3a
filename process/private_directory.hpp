#pragma once

#include <filesystem>

namespace stoker::process {

/// Makes a directory, and those above it that are missing, each closed to others
/// (0700) whatever the umask. One that is there stays as it is. Returns 0, or `errno`.
int make_private_directories(const std::filesystem::path& path);

} // namespace stoker::process
