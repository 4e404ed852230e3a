#pragma once

// Admitted applications that want more than they were admitted with.

#include <optional>

#include "messages/resources.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// Returns by how much an admitted application that wants more grows next: to the next
/// whole unit, as units may have become larger since it was admitted, or to all that it
/// wants. Returns all that is missing if a unit has 0 of it.
Resources next_growth(const AdmittedProgram& program);

/// The first of a user's admitted applications that want more which could grow under
/// the user's own limits; nothing: none could.
std::optional<ProgramKey> next_to_grow(const TenantState& state,
                                       UserNumber user);

/// The same, and under the company's cap.
std::optional<ProgramKey> next_to_grow_under_cap(const TenantState& state,
                                                 UserNumber user);

/// The same two, of applications that have nothing yet and whose driver runs.
std::optional<ProgramKey> next_driven_to_grow(const TenantState& state,
                                              UserNumber user);
std::optional<ProgramKey>
next_driven_to_grow_under_cap(const TenantState& state, UserNumber user);

/// Gives an admitted application what `next_growth` says, as if it had been selected.
/// `refresh` is right after it.
void grow(TenantState& state, ProgramKey key);

} // namespace stoker
