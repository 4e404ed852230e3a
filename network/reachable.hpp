#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace stoker {

/// Tries to open a TCP connection. Returns why that fails, as people know it
/// ("Connection refused"), or nothing.
std::optional<std::string> why_unreachable(const std::string& host,
                                           std::uint16_t port,
                                           std::chrono::milliseconds timeout);

/// A port that nobody listens on at present; 0 when there is none.
std::uint16_t free_port(const std::string& host);

} // namespace stoker
