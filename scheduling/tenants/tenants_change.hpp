#pragma once

#include <string>

#include "messages/tenants_config.hpp"

namespace stoker {

/// Returns what differs between two configurations, in one line and in the words of the
/// tenants file: "company first: cores 4 to 8; user ann: new". Of many changes it has the first
/// ones and how many there are. Empty: nothing differs.
std::string describe_change(const TenantsConfig& before,
                            const TenantsConfig& now);

} // namespace stoker
