#pragma once

#include <signal.h>
#include <spawn.h>

namespace stoker::process {

/// Has posix_spawn(3) start a program that blocks and ignores no signal, whatever this process
/// does: most commands of `stoker` ignore SIGPIPE, for example, and exec keeps that.
class SpawnAttributes {
public:
  /// @param more_flags as POSIX_SPAWN_SETSID
  explicit SpawnAttributes(short more_flags = 0) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK
                                         | POSIX_SPAWN_SETSIGDEF | more_flags));
  }

  ~SpawnAttributes() {
    ::posix_spawnattr_destroy(&attributes_);
  }

  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  [[nodiscard]] const posix_spawnattr_t* get() const noexcept {
    return &attributes_;
  }

private:
  posix_spawnattr_t attributes_{};
};

} // namespace stoker::process
