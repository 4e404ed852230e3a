#pragma once

// Why a program has ended, as users read it; and its status, as a shell counts.

#include <string>

#include "scheduling/worker/worker_events.hpp"

namespace stoker {

inline constexpr const char* worker_stops = "the worker stops";
inline constexpr const char* killed_on_request = "killed on request";

/// The exit code, or 128 and the number of the signal.
inline int exit_status_of(const ProcessEnded& x) {
  return x.signal ? 128 + *x.signal : x.exit_code.value_or(0);
}

inline std::string format_end(const ProcessEnded& x) {
  return x.signal
             ? "command was ended by signal " + std::to_string(*x.signal)
             : "command exited with code " + std::to_string(exit_status_of(x));
}

} // namespace stoker
