#pragma once

#include <optional>
#include <string>

#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// Asks each owner, computes again from the applications what the owners keep,
/// and compares. Returns what is not as it should be, in one line.
std::optional<std::string> invariant_violation(const TenantState& state);

} // namespace stoker
