#pragma once

#include <optional>
#include <string>

#include "messages/resources.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// How much counts for the whole, for each company and for each user, and the
/// companies' caps.
///
/// Invariant: the figures of companies, and those of users, sum up to those of
/// the whole; none is negative; no company's requests are above its cap, except
/// for what was there when the cap was set and has not gone since.
class Occupancy {
public:
  /// Adds a change, which may be negative, to the figures of a user and of all
  /// above.
  void count(Member member, const TenantFigures& change);

  /// Accepts what the company has above the cap now.
  void set_cap(CompanyNumber company, Resources cap);

  [[nodiscard]] const TenantFigures& whole() const noexcept {
    return whole_;
  }
  [[nodiscard]] const TenantFigures& of(CompanyNumber company) const {
    return companies_[company].figures;
  }
  [[nodiscard]] const TenantFigures& of(UserNumber user) const {
    return users_[user];
  }
  [[nodiscard]] const Resources& cap(CompanyNumber company) const {
    return companies_[company].cap;
  }

  /// Whether the company may have so much more.
  [[nodiscard]] bool fits(CompanyNumber company, const Resources& more) const;

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct Company {
    TenantFigures figures;
    Resources cap{unlimited, unlimited};

    /// `requested` may be above the cap by so much.
    Resources excess;
  };

  TenantFigures whole_;
  ByNumber<CompanyNumber, Company> companies_;
  ByNumber<UserNumber, TenantFigures> users_;
};

} // namespace stoker
