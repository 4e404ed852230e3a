#pragma once

#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

/// Reaches what owners keep to themselves, so that tests can break it and see
/// whether the owner notices.
struct TenantTestAccess {
  static auto& state(TenantTree& x) {
    return x.state_;
  }

  static auto& users(TenantDirectory& x) {
    return x.users_;
  }
  static auto& free_users(TenantDirectory& x) {
    return x.free_users_;
  }
  static auto& company_numbers(TenantDirectory& x) {
    return x.company_numbers_;
  }

  static auto& queue(UserQueues& x, UserNumber user) {
    return x.queues_[user];
  }

  static auto& growing(AdmittedApps& x, CompanyNumber company) {
    return x.growing_[company];
  }
  static auto& waiting(AdmittedApps& x) {
    return x.waiting_;
  }

  static auto& whole(Occupancy& x) {
    return x.whole_;
  }

  static auto& last(SelectionHistory& x) {
    return x.last_;
  }

  static auto& open(ServingOrder& x) {
    return x.open_;
  }
  static auto& rank(ServingOrder& x, UserNumber user) {
    return x.users_[user];
  }
};

} // namespace stoker
