#pragma once

namespace stoker {

/// Why a worker, an application or a run of instances has come to its end.
/// Decide by this, and show the message that stands beside it.
enum class EndReason {
  /// All that was to be done is done.
  finished,

  /// Somebody asked it to end: a user, an operator, a signal.
  stopped,

  /// The master has not accepted the registration.
  refused,

  /// The master has ended it after it was registered.
  removed,

  /// No master was found, or it was lost and not found again in time.
  master_lost,
};

} // namespace stoker
