#include "scheduling/tenants/growth.hpp"

#include <algorithm>

#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// The first that `fits` by what it would grow.
template <class Fits>
std::optional<ProgramKey> first_growing(const TenantState& state,
                                        UserNumber user, Fits fits) {
  if (!state.rules.is_served(user))
    return std::nullopt;
  const auto& figures = state.occupancy.of(user);
  for (const auto& [selection, key] : state.admitted.growing(user)) {
    auto more = next_growth(*state.admitted.find(key));
    if (fits_in(figures.requested + more, state.rules.limit(user))
        && fits(more))
      return key;
  }
  return std::nullopt;
}

} // namespace

Resources next_growth(const AdmittedProgram& program) {
  auto missing = program.wanted - program.request;
  auto has_no_unit = (missing.cores > 0 && program.unit.cores <= 0)
                     || (missing.memory_mb > 0 && program.unit.memory_mb <= 0);
  if (has_no_unit)
    return missing;
  return {std::min(missing.cores, program.unit.cores),
          std::min(missing.memory_mb, program.unit.memory_mb)};
}

std::optional<ProgramKey> next_to_grow(const TenantState& state,
                                       UserNumber user) {
  return first_growing(state, user, [](const Resources&) { return true; });
}

std::optional<ProgramKey> next_to_grow_under_cap(const TenantState& state,
                                                 UserNumber user) {
  auto company = state.directory.company_of(user);
  return first_growing(state, user, [&](const Resources& more) {
    return state.occupancy.fits(company, more);
  });
}

void grow(TenantState& state, ProgramKey key) {
  auto program = *state.admitted.find(key);
  state.selections.count();
  change_request(state, key, program.request + next_growth(program));
  if (state.rules.config().accounting == Accounting::running)
    state.admitted.set_waiting(key, Waits::for_room);
}

} // namespace stoker
