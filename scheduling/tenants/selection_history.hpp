#pragma once

#include <optional>
#include <string>

#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// When each company and user was served last, counted in admissions.
///
/// Invariant: nobody was served later than the last admission.
class SelectionHistory {
public:
  [[nodiscard]] Selection of(CompanyNumber company) const {
    return companies_[company];
  }
  [[nodiscard]] Selection of(UserNumber user) const {
    return users_[user];
  }
  [[nodiscard]] Selection last() const noexcept {
    return last_;
  }

  /// Counts an admission. Returns its number.
  Selection count() noexcept {
    return ++last_;
  }

  /// The last admission served this user, and so the company.
  void set_served(Member member);

  /// The user waits from now on, like one who was just served.
  void set_new(UserNumber user) {
    users_[user] = last_;
  }

  // What another has counted: later admissions have larger numbers.
  void restore(CompanyNumber company, Selection served);
  void restore(UserNumber user, Selection served);
  void restore_last(Selection served);

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  Selection last_ = 0;
  ByNumber<CompanyNumber, Selection> companies_;
  ByNumber<UserNumber, Selection> users_;
};

} // namespace stoker
