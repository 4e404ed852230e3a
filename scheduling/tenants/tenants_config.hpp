#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "messages/tenants_config.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// What is wrong with a configuration, in one line, and where that is: the
/// position of a company or of a user; neither: among the rules.
struct TenantsProblem {
  std::string text;
  std::optional<std::size_t> company = std::nullopt;
  std::optional<std::size_t> user = std::nullopt;

  /// The key in the tenants file whose value is wrong; empty: it is not one value.
  std::string key = {};
};

/// The first problem, or nothing.
std::optional<TenantsProblem> find_problem(const TenantsConfig& config);

/// Returns what is allowed and hardly meant.
std::vector<TenantsProblem> find_doubts(const TenantsConfig& config);

/// Whether tenants can be served so; if not, the text of the first problem.
Status validate(const TenantsConfig& config);

} // namespace stoker
