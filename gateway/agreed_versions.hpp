#pragma once

#include <string>
#include <vector>

#include "spark/version_tables.hpp"

namespace stoker {

// The versions that what a program of Spark's has sent agrees with: it looks the same in all
// of them, and patch levels are not told apart.

/// By which a program may say its version itself.
inline constexpr const char* version_variable = "STOKER_SPARK_VERSION";

/// Those of the tables, in their order.
std::vector<std::string>
versions_of(const std::vector<const spark::VersionTable*>& tables);

/// Whether two versions are of one release, as 3.5.1 and 3.5.9. What is no version is of none.
bool are_one_release(const std::string& a, const std::string& b);

/// Whether a version is of one of these releases.
bool is_of_these(const std::string& version,
                 const std::vector<std::string>& versions);

} // namespace stoker
