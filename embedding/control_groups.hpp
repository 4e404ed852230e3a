#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>

namespace stoker {

/// What the kernel's control groups leave to a process, as a container or a
/// systemd unit sets it. Nothing: no limit.
struct ControlGroupLimits {
  /// Cores, the part of one that is left over counted as a whole, as Java does.
  std::optional<int> cores;
  std::optional<std::int64_t> memory_bytes;

  friend bool operator==(const ControlGroupLimits&, const ControlGroupLimits&)
      = default;
};

/// The tightest limits of a process's groups and of all that those are in, of
/// version 1, version 2 or both. What cannot be read limits nothing.
/// @param mount Where the groups are: /sys/fs/cgroup.
/// @param membership As in /proc/PID/cgroup: a line "ID:CONTROLLERS:PATH" each.
///   In a container the path may not exist; then it is `mount` itself.
/// Source: Linux kernel, Documentation/admin-guide/cgroup-v2.rst and
/// cgroup-v1/memory.rst; Documentation/scheduler/sched-bwc.rst.
ControlGroupLimits read_control_groups(const std::filesystem::path& mount,
                                       std::istream& membership);

} // namespace stoker
