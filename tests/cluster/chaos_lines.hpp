#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::test {

/// What a program of a chaos test writes: one line when it starts, one when it
/// ends, and one if another one of the same name and index runs then.
struct ChaosLine {
  /// start, end or twice.
  std::string what;
  int index = 0;
  int executor = 0;
  std::int64_t at_ms = 0;

  /// Which worker it ran on.
  int worker = 0;
};

/// Commands of a shell that write such lines to a file of this name, around a
/// sleep of so many seconds.
std::string writes_lines(const std::string& name, const std::string& seconds);

/// What was written so far. The last line may be cut off; it is left out then.
std::vector<ChaosLine> read_chaos_lines(const std::string& path);

} // namespace stoker::test
