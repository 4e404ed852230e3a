#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace stoker {

/// Returns the user whose process listens at a port of this machine.
/// @param host a name or an address, also one that stands for all addresses
/// @return std::nullopt if the kernel names no such user
std::optional<uid_t> holder_of_port(const std::string& host,
                                    std::uint16_t port);

/// Returns "a process of user NAME", or what is known where the kernel names no user.
std::string holder_text(std::optional<uid_t> holder);

} // namespace stoker
