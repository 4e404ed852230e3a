#pragma once

namespace stoker {

// What `stoker` ends with. `run` and `local -- COMMAND` end with the command's
// own status where there is one.

/// Something was tried and failed.
inline constexpr int exit_failure = 1;

/// The command line or a configuration is wrong. Nothing was tried.
inline constexpr int exit_usage = 2;

/// A file is not what it should be, or damaged, as EX_DATAERR of sysexits.h.
inline constexpr int exit_bad_data = 65;

/// No active master could be reached, as EX_UNAVAILABLE of sysexits.h.
inline constexpr int exit_no_master = 69;

/// What was waited for did not come in time, as timeout(1) ends.
inline constexpr int exit_timeout = 124;

/// Ended by Ctrl-C: 128 + SIGINT.
inline constexpr int exit_interrupted = 130;

/// Nobody reads what it writes any more: 128 + SIGPIPE, of which other programs end.
inline constexpr int exit_unread = 141;

/// As a process that SIGTERM has ended.
inline constexpr int exit_killed = 143;

} // namespace stoker
