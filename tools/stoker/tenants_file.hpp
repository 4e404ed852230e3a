#pragma once

#include <string>

#include "messages/result.hpp"
#include "scheduling/tenants/tenants_config.hpp"

namespace stoker {

/// Reads a tenants file (docs/tenants.md), a regular one of at most 16 MB.
/// Strict: returns what is wrong, in one line with `FILE:LINE`, if anything is
/// unknown, of a wrong type or unit, there twice, or not valid.
Result<TenantsConfig> read_tenants_file(const std::string& path);

} // namespace stoker
