#pragma once

#include <cstdint>
#include <string>

namespace stoker {

/// A port that nobody listens on at present; 0 when there is none.
std::uint16_t free_port(const std::string& host);

} // namespace stoker
