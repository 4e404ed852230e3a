#include "gateway/agreed_versions.hpp"

#include <algorithm>

#include "scheduling/common/spark_release.hpp"

namespace stoker {

std::vector<std::string>
versions_of(const std::vector<const spark::VersionTable*>& tables) {
  std::vector<std::string> result;
  for (const auto* table : tables)
    result.push_back(table->version());
  return result;
}

bool are_one_release(const std::string& a, const std::string& b) {
  auto x = spark_release_of(a);
  auto y = spark_release_of(b);
  return x && y && *x == *y;
}

bool is_of_these(const std::string& version,
                 const std::vector<std::string>& versions) {
  return std::any_of(versions.begin(), versions.end(), [&](const auto& x) {
    return are_one_release(version, x);
  });
}

} // namespace stoker
