#pragma once

// What changes several owners at once, so that they agree when it is done.

#include <string>

#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// Lets usage follow what was occupied until now. Looks at all companies, if
/// time has passed.
void advance(TenantState& state, Instant now);

/// The user's number; a new one for somebody who is not listed.
UserNumber number_of_user(TenantState& state, const std::string& name);

/// Forgets a user who is not listed and has nothing.
void forget_if_idle(TenantState& state, UserNumber user);

/// Applies a change to a user's figures and all above.
void count(TenantState& state, Member member, const TenantFigures& change);

/// Adds what counts for an admitted application or driver to these figures.
void count(TenantState& state, const AdmittedProgram& program);

/// Takes what counts for an admitted application or driver off these figures.
void uncount(TenantState& state, const AdmittedProgram& program);

/// Makes a queued application or driver an admitted one: with all of its request, if that
/// fits under cap and limits, and not only the least is to be admitted; else with what it
/// needs. `refresh` is right after it.
void admit(TenantState& state, ProgramKey key, bool with_least);

/// The same, with that part of its request.
void admit_with(TenantState& state, ProgramKey key, Resources part);

/// Changes what counts for an admitted application or driver.
void change_request(TenantState& state, ProgramKey key, Resources to);

/// Brings the place of a user and the company up to date with the figures.
void refresh(TenantState& state, UserNumber user);
void refresh(TenantState& state, CompanyNumber company);

/// Looks at a company again that might have more room.
void reopen(TenantState& state, CompanyNumber company);

/// Sets the cap that the rules give now, and accepts what is above it.
void apply_cap(TenantState& state, CompanyNumber company);

} // namespace stoker
