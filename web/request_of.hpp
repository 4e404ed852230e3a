#pragma once

#include "web/http.hpp"
#include "web/http_refusal.hpp"

namespace stoker {

/// What a message asks for: all of a request but who asks, and where. Takes its body; the rest
/// stays.
HttpRequest request_of(StringRequest& message);

} // namespace stoker
