#pragma once

#include <optional>
#include <string>

#include "messages/tenants_config.hpp"
#include "scheduling/instant.hpp"

namespace stoker {

/// Returns what is wrong with the configuration, in one line, or nothing.
std::optional<std::string> validate(const TenantsConfig& config);

} // namespace stoker
