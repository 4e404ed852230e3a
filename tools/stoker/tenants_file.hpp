#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/tenants/tenants_config.hpp"

namespace stoker {

/// What the file says of each machine's workers [workers].
struct NodeWorkers {
  /// Workers of one machine.
  int instances = 1;

  /// Of each worker; unset: its part of what the machine has.
  std::optional<int> cores;
  std::optional<std::int64_t> memory_mb;
};

/// Reads the same file for a worker.
Result<NodeWorkers> read_node_workers(const std::string& path);

/// Reads a tenants file (docs/tenants.md), a regular one of at most 16 MB.
/// Strict: returns what is wrong, in one line with `FILE:LINE`, if anything is
/// unknown, of a wrong type or unit, there twice, or not valid.
Result<TenantsConfig> read_tenants_file(const std::string& path);

struct CheckedTenants {
  TenantsConfig tenants;

  /// What is allowed and hardly meant, in one line each, as "FILE:LINE: why".
  std::vector<std::string> doubts;
};

/// The same, with what is doubtful.
Result<CheckedTenants> check_tenants_file(const std::string& path);

/// The same, of what a file of that name says.
Result<TenantsConfig> parse_tenants(std::string_view text,
                                    const std::string& path);

} // namespace stoker
