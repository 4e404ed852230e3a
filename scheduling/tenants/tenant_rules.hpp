#pragma once

#include <cstdint>

#include "messages/resources.hpp"
#include "messages/tenants_config.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// The configuration, and what follows from it and from the cluster's size
/// alone. A company that is no longer in the configuration has no purchase and
/// no cap; a user who is not listed has no limits.
class TenantRules {
public:
  /// @pre `validate(config)`
  explicit TenantRules(TenantsConfig config);

  void set_total(Resources total) noexcept {
    total_ = total;
  }

  [[nodiscard]] const TenantsConfig& config() const noexcept {
    return config_;
  }

  /// What the ALIVE workers have in all.
  [[nodiscard]] const Resources& total() const noexcept {
    return total_;
  }

  [[nodiscard]] bool is_listed(CompanyNumber company) const noexcept;
  [[nodiscard]] bool is_listed(UserNumber user) const noexcept;

  /// Whether anything of the user may be started.
  [[nodiscard]] bool is_served(UserNumber user) const noexcept {
    return is_listed(user) || config_.default_company.has_value();
  }

  [[nodiscard]] Resources purchased(CompanyNumber company) const;
  [[nodiscard]] Resources cap(CompanyNumber company) const;
  [[nodiscard]] Resources limit(UserNumber user) const;
  [[nodiscard]] std::int64_t max_applications(UserNumber user) const;

  /// The figures that the orders go by.
  [[nodiscard]] const Resources&
  occupied(const TenantFigures& x) const noexcept;

  /// The part of a company's purchase, in cores or memory, whichever is more;
  /// infinite for a part of nothing, and for any of a company that is gone.
  [[nodiscard]] double share(double cores, double memory_mb,
                             CompanyNumber company) const;
  [[nodiscard]] double share(const Resources& x, CompanyNumber company) const;

private:
  TenantsConfig config_;
  Resources total_;
};

} // namespace stoker
