#pragma once

#include "web/http.hpp"

namespace stoker {

/// Answers who asks for "/static/NAME" with what browsers load besides pages. It says nothing
/// of the cluster, so that everybody may have it.
HttpResponse asset(const HttpRequest& request);

} // namespace stoker
