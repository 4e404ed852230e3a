#pragma once

#include <signal.h>

namespace stoker::process {

/// The signals that guard and supervisor wait for instead of handling them.
inline sigset_t supervision_signals() {
  sigset_t result;
  ::sigemptyset(&result);
  for (auto signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
    ::sigaddset(&result, signal);
  return result;
}

} // namespace stoker::process
