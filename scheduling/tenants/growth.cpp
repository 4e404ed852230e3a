#include "scheduling/tenants/growth.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "scheduling/tenants/tenant_ranks.hpp"
#include "scheduling/tenants/tenant_steps.hpp"

namespace stoker {

namespace {

/// The first of these that could grow under the user's limits and of which `may` says yes.
template <class May>
std::optional<ProgramKey>
first_growing(const TenantState& state, UserNumber user,
              const AdmittedPrograms::Growing& growing, May may) {
  if (!state.rules.is_served(user))
    return std::nullopt;
  const auto& figures = state.occupancy.of(user);
  for (const auto& [selection, key] : growing) {
    auto more = next_growth(*state.admitted.find(key));
    if (fits_in(figures.requested + more, state.rules.limit(user)) && may(more))
      return key;
  }
  return std::nullopt;
}

std::optional<ProgramKey>
first_growing_under_cap(const TenantState& state, UserNumber user,
                        const AdmittedPrograms::Growing& growing) {
  auto company = state.directory.company_of(user);
  return first_growing(state, user, growing, [&](const Resources& more) {
    return state.occupancy.fits(company, more);
  });
}

bool always(const Resources&) {
  return true;
}

} // namespace

Resources next_growth(const AdmittedProgram& program) {
  auto missing = program.wanted - program.request;
  const auto& unit = program.unit;
  auto has_no_unit = (missing.cores > 0 && unit.cores <= 0)
                     || (missing.memory_mb > 0 && unit.memory_mb <= 0);
  if (has_no_unit)
    return missing;
  // The units that the request holds, by what is missing.
  auto units = std::numeric_limits<std::int64_t>::max();
  if (missing.cores > 0)
    units = program.request.cores / unit.cores;
  if (missing.memory_mb > 0)
    units = std::min(units, program.request.memory_mb / unit.memory_mb);
  auto more = [units](std::int64_t lacks, std::int64_t has, std::int64_t of) {
    return lacks <= 0
               ? lacks
               : std::clamp((units + 1) * of - has, std::int64_t{0}, lacks);
  };
  return {more(missing.cores, program.request.cores, unit.cores),
          more(missing.memory_mb, program.request.memory_mb, unit.memory_mb)};
}

std::optional<ProgramKey> next_to_grow(const TenantState& state,
                                       UserNumber user) {
  return first_growing(state, user, state.admitted.growing(user), always);
}

std::optional<ProgramKey> next_to_grow_under_cap(const TenantState& state,
                                                 UserNumber user) {
  return first_growing_under_cap(state, user, state.admitted.growing(user));
}

std::optional<ProgramKey> next_driven_to_grow(const TenantState& state,
                                              UserNumber user) {
  return first_growing(state, user, state.admitted.driven(user), always);
}

std::optional<ProgramKey>
next_driven_to_grow_under_cap(const TenantState& state, UserNumber user) {
  return first_growing_under_cap(state, user, state.admitted.driven(user));
}

void grow(TenantState& state, ProgramKey key) {
  auto program = *state.admitted.find(key);
  state.selections.count();
  change_request(state, key, program.request + next_growth(program));
  if (state.rules.config().accounting == Accounting::running)
    state.admitted.set_waiting(key, Waits::for_room);
}

} // namespace stoker
