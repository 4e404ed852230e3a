#pragma once

#include <cstdint>

#include <boost/describe.hpp>

namespace stoker {

/// What a program has used, with all processes that it had started, as the kernel
/// counted when they had ended. A driver that was started again: all of its attempts.
struct ResourceUse {
  /// Of all cores together, for the program and for the kernel on its behalf. Where the
  /// program has no control group, not that of a process for which its parent did not
  /// wait, though it lived on, or whose parent ignores SIGCHLD.
  std::int64_t cpu_ms = 0;

  /// The most that was resident at once: of the whole tree where the worker's control
  /// group counts memory, of its largest process elsewhere.
  std::int64_t peak_memory_mb = 0;

  /// What it wrote to its standard output and error.
  std::int64_t output_bytes = 0;

  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};
BOOST_DESCRIBE_STRUCT(ResourceUse, (), (cpu_ms, peak_memory_mb, output_bytes))

} // namespace stoker
