#pragma once

// Who could be served, and who comes first, as it follows from the figures. The
// ServingOrder keeps the answers, so that choices need not compute them.

#include "scheduling/tenants/tenant_state.hpp"

namespace stoker {

/// @param weight of the time since usage was brought up to date
CompanyRank rank(const TenantState& state, CompanyNumber company,
                 double weight);
UserRank rank(const TenantState& state, UserNumber user);

/// Whether the user has as many admitted as the user may have; an application that counts
/// with its driver is not one more.
bool has_most(const TenantState& state, UserNumber user);

/// Whether the rules know the user, and what the user's next application or driver needs,
/// if there is one, fits under the user's own limits.
bool is_ready(const TenantState& state, UserNumber user);

/// Whether the user has an application that a driver waits for: the next one, if the user is
/// ready, or one that could grow from nothing.
bool is_driven(const TenantState& state, UserNumber user);

/// Whether the company waits for an application that could fit some day.
bool is_held(const TenantState& state, CompanyNumber company);

/// Whether the user's next program leaves the room under the user's limits, or under the
/// company's cap, that `TenantTree::Entry::room` says.
/// @pre the user has one
bool leaves_room_to_user(const TenantState& state, UserNumber user);
bool leaves_room_to_company(const TenantState& state, UserNumber user);

/// Whether the next application of a user fits under the company's cap, with the room that
/// it leaves.
/// @pre the user has one
bool next_fits(const TenantState& state, UserNumber user);

/// Whether something that makes the user driven fits under the company's cap.
bool driven_fits(const TenantState& state, UserNumber user);

/// Whether the next application of a user was passed by as often as may be: the
/// company is held for it. What is above the whole cap holds nobody up: it might
/// wait for ever.
/// @pre the user has one
bool is_passed_no_more(const TenantState& state, UserNumber user);

/// Whether another user of the company is ready or grows, and there would be room in the
/// cluster for an admission if the user had `part` less.
bool has_to_yield(const TenantState& state, Member member,
                  const Resources& part);

/// Whether what is admitted fills the cluster.
bool is_full(const TenantState& state);

/// What fills the cluster of what is admitted.
Resources filling(const TenantState& state);

} // namespace stoker
