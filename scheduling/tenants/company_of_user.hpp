#pragma once

#include <map>
#include <optional>
#include <string>

#include "messages/tenants_config.hpp"

namespace stoker {

/// To which company users belong (docs/tenants.md).
class CompanyOfUser {
public:
  /// Without companies.
  CompanyOfUser() = default;

  explicit CompanyOfUser(const TenantsConfig& config)
      : default_(config.default_company) {
    for (const auto& x : config.users)
      by_user_.emplace(x.name, x.company);
  }

  /// Nothing: to none.
  [[nodiscard]] std::optional<std::string> find(const std::string& user) const {
    auto found = by_user_.find(user);
    return found == by_user_.end() ? default_ : std::optional{found->second};
  }

private:
  std::optional<std::string> default_;
  std::map<std::string, std::string> by_user_;
};

} // namespace stoker
