#pragma once

#include <cstdint>
#include <string>

#include "messages/result.hpp"

namespace stoker {

/// Whether a master can listen at a port, for who would do much before: fails as
/// `open_acceptor`. A master that was killed may keep its port for a second more.
/// @param port 0: there is one
Status wait_for_port(const std::string& host, std::uint16_t port);

/// Finds a port that no process listens at. If possible, it is none of the last 64 that this
/// process was given: the caller may not listen there yet. Any thread.
/// @return 0 if no port is free
std::uint16_t free_port(const std::string& host);

} // namespace stoker
