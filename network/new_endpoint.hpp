#pragma once

#include <string>

#include "messages/ids.hpp"

namespace stoker {

/// Different at each call, on all machines: "KIND-PID-NUMBER-NUMBER".
EndpointId new_endpoint(const std::string& kind);

} // namespace stoker
