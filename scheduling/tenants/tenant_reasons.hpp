#pragma once

// Why an application waits or is refused, in one line for people.

#include <optional>
#include <string>

#include "messages/resources.hpp"
#include "messages/result.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// Why nothing is admitted now, whoever comes; empty: there is room.
std::string why_full(const TenantState& state);

/// Why the user's next application cannot be admitted now, because of the
/// user's limits; empty: it can, or there is none.
std::string why_blocked(const TenantState& state, UserNumber user);

/// Why no application of the company can be admitted now; empty: one can, or
/// there is none. Looks at the company's ready users.
std::string why_blocked(const TenantState& state, CompanyNumber company);

/// Why an application in the queue of a user is not admitted.
struct QueuedReason {
  std::string reason;

  /// When it may be, as "its turn comes".
  std::string remedy;

  /// A limit of its user, or of its company, keeps it, whether there is room or not.
  bool is_limit = false;
};

QueuedReason why_queued(const TenantState& state, Member member);

/// Why an admitted application that wants more cannot have it because of limits of its
/// user, or of its company; empty: it can, or wants no more.
std::string why_limited(const TenantState& state,
                        const AdmittedProgram& program);

/// How a refusal is said.
struct RefusalText {
  /// What asks for too much.
  std::string who = "the application asks for";

  /// What to request less for, as "for an executor"; empty: it is not said.
  std::string advice;
};

/// As of `TenantTree`.
Status may_join(const TenantState& state, const std::string& user,
                const Resources& least, const RefusalText& text);
Resources most_of(const TenantState& state, const std::string& user);

} // namespace stoker
