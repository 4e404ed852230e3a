#pragma once

#include <memory>
#include <string>

#include "web/http.hpp"

namespace stoker {

/// What is at /api/v1, as OpenAPI 3.1, with the schemas of docs/schemas/.
std::shared_ptr<const std::string> openapi_document();

/// It, for who has asked for it.
HttpResponse openapi_answer(const HttpRequest& request);

} // namespace stoker
