#pragma once

#include <string>

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

  static auto& growing(AdmittedPrograms& x, UserNumber user) {
    return x.growing_[user];
  }
  static auto& waiting(AdmittedPrograms& x) {
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
  static auto& places(ServingOrder& x, UserNumber user) {
    return x.users_[user];
  }
};

} // namespace stoker

/// Short names, for those who want them: they hide others.
namespace stoker::test::numbers {

// Two companies and two users, as directories number them.
inline constexpr CompanyNumber a{0};
inline constexpr CompanyNumber b{1};
inline constexpr UserNumber x{0};
inline constexpr UserNumber y{1};

} // namespace stoker::test::numbers

namespace stoker::test {

/// What an owner finds wrong in itself; empty: nothing.
template <class Owner>
std::string violation(const Owner& owner) {
  return owner.invariant_violation().value_or("");
}

} // namespace stoker::test
