#pragma once

namespace stoker {

/// What becomes of what a program holds of its worker when it leaves the
/// master's tables.
enum class Room {
  /// It has ended: all is free.
  free_now,

  /// It was told to end: what must not be in use twice is held until it has
  /// (`PendingReleases`).
  free_when_it_ends,

  /// Its worker is lost or leaves: the worker keeps the figures that it had.
  stays_taken,
};

} // namespace stoker
