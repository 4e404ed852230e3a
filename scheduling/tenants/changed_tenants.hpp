#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/tenants/tenant_numbers.hpp"
#include "scheduling/tenants/tenants_stored.hpp"

namespace stoker {

/// Of whom something has changed that is stored. Records are made when they are
/// taken, so that each is stored once, as it is then.
///
/// Invariant: a user who is gone is not touched, so that no record of somebody
/// else is stored in that user's place.
class ChangedTenants {
public:
  void touch(CompanyNumber company) {
    companies_.insert(company);
  }
  void touch(UserNumber user) {
    users_.insert(user);
  }

  /// The user is gone, and the number may become that of another.
  void erase(UserNumber user, std::string name) {
    users_.erase(user);
    erase(std::move(name));
  }
  void erase(std::string name) {
    gone_users_.push_back(std::move(name));
  }

  /// What has changed since the last call: first those that are gone, since one
  /// of the same name may have come after.
  /// @param record makes a StoredCompany or a StoredUser, by number
  template <class Record>
  TenantChanges take(Record&& record) {
    TenantChanges result;
    for (auto& name : std::exchange(gone_users_, {}))
      result.emplace_back(EraseUser{std::move(name)});
    for (auto number : std::exchange(companies_, {}))
      result.emplace_back(record(number));
    for (auto number : std::exchange(users_, {}))
      result.emplace_back(record(number));
    return result;
  }

private:
  std::set<CompanyNumber> companies_;
  std::set<UserNumber> users_;
  std::vector<std::string> gone_users_;
};

} // namespace stoker
