#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/tenants/tenant_tree.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

inline constexpr std::int64_t g = 1024;

/// A tree with short words for what happens. Applications ask for cores, and
/// 1 GB for each.
struct Case {
  TenantsConfig config;
  std::optional<TenantTree> tree;
  Instant now{std::chrono::hours{1000}};
  std::uint32_t next = 1;

  /// Companies with these purchases in cores, and a user of the same name each;
  /// 0: nothing said.
  explicit Case(std::vector<std::pair<std::string, int>> companies) {
    for (const auto& [name, cores] : companies) {
      auto& x = config.companies.emplace_back();
      x.name = name;
      if (cores > 0) {
        x.cores = cores;
        x.memory_mb = cores * g;
      }
      config.users.push_back({name, name});
    }
  }

  void start(std::int64_t cores) {
    tree.emplace(config);
    tree->set_cluster(now, {cores, cores * g});
  }

  static Resources cores(std::int64_t n) {
    return {n, n * g};
  }

  ProgramKey add(const std::string& user, int n, int priority = 0,
                 bool sql = false) {
    tree->add(now, AppKey{next}, {user, cores(n), priority, sql});
    return AppKey{next++};
  }

  ProgramKey adopt(const std::string& user, int n) {
    tree->adopt(now, AppKey{next}, {user, cores(n)});
    return AppKey{next++};
  }

  /// The users of all that is admitted now, in order.
  std::string select() {
    std::string result;
    while (auto app = tree->select(now)) {
      result += (result.empty() ? "" : " ") + tree->place(*app, now).user;
      CHECK(!tree->invariant_violation());
    }
    return result;
  }
};

} // namespace stoker::test
