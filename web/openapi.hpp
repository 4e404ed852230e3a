#pragma once

#include <memory>
#include <string>

namespace stoker {

/// What is at /api/v1, as OpenAPI 3.1, with the schemas of docs/schemas/.
std::shared_ptr<const std::string> openapi_document();

} // namespace stoker
