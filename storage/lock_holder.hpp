#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "process/process_tree.hpp"

namespace stoker {

/// Who holds the lock of a data directory, as the lock's file says.
struct LockHolder {
  process::ProcessId process;

  /// Tells machines, boots of one machine, and pid namespaces apart.
  std::string place;

  /// Counts up for as long as the holder lives and does its work.
  std::uint64_t sign = 0;

  /// This process, with no sign yet.
  static LockHolder self();

  friend bool operator==(const LockHolder&, const LockHolder&) = default;
};

/// One line, without its end.
std::string to_string(const LockHolder& x);

/// The inverse of to_string. Nothing if it is anything else.
std::optional<LockHolder> parse_lock_holder(const std::string& text);

/// Reads it from a data directory. Nothing if nobody has said so.
std::optional<LockHolder> read_lock_holder(const std::string& directory);

/// Kills the holder (SIGKILL), and nobody who has got its pid since. Returns false
/// if it is not to be reached from here, or is this process.
bool end_lock_holder(const LockHolder& x);

} // namespace stoker
