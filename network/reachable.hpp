#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "messages/result.hpp"

namespace stoker {

/// Tries to open a TCP connection, and closes it. The error says why that fails,
/// as people know it ("Connection refused").
Status reach(const std::string& host, std::uint16_t port,
             std::chrono::milliseconds timeout);

/// A port that nobody listens on at present; 0 when there is none.
std::uint16_t free_port(const std::string& host);

} // namespace stoker
