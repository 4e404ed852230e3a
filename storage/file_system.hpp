#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stoker {

/// The name of a network file system by its magic number (statfs(2)); std::nullopt for all
/// others. File systems in user space (FUSE) and those of virtual machines (9p, virtiofs)
/// have one number for local and remote files, and count as local.
std::optional<std::string> network_file_system(std::uint64_t magic);

/// The same of the file system that holds `path`; std::nullopt if it cannot be asked.
std::optional<std::string> network_file_system_of(const std::string& path);

} // namespace stoker
