#pragma once

// Gangs that wait: for one that has waited for `gang_reserve_after` room is kept as it
// becomes free, for at most `reservation_timeout`. Then it gives all back, waits for the
// same time, and may reserve again. At most one reserves at a time, so two never hold
// halves against each other.

#include <optional>

#include "scheduling/master/application_table.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// An admitted application wants executors, or wants none (any more).
void follow_gang(Step& step, const Application& app, bool wants);

/// An admitted application is taken out.
void forget_gang(Step& step, const Application& app);

/// The time of a gang may have come: to reserve, or to give back.
void check_gang(Step& step, AppKey key);

/// All gangs may reserve so much later.
void postpone_gangs(Step& step, Duration by);

/// Whether room is kept for this application.
[[nodiscard]] bool is_reserving(const ClusterState& state,
                                const Application& app);

/// Keeps what is free for the gang that reserves, up to what it misses. Returns whether
/// that is all of it.
bool gather_room(Step& step, AppKey key);

/// Returns for how many executors of a gang there is room at once, with what is kept for it: at
/// most for as many as it needs at once.
[[nodiscard]] int room_for_gang(const ClusterState& state,
                                const Application& app);

/// When an application that waits for its gang can have it at the earliest.
struct GangStart {
  Instant when;

  /// The application whose end makes room for the last of it, and for how many.
  AppKey after{};
  int executors = 0;
};

/// As far as the time limits of what runs tell. Nothing: what would have to end has
/// none. Looks at what runs with a time limit, soonest first, until that is enough.
[[nodiscard]] std::optional<GangStart> earliest_start(const ClusterState& state,
                                                      const Application& app);

} // namespace stoker
