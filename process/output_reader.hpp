#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "messages/result.hpp"

namespace stoker::process {

enum class LogStream { out, err };

/// A piece of a program's output. Offsets are absolute: they count every byte
/// that was ever written to the log, also those that were rotated away.
struct LogPart {
  std::string data;
  /// Of the first byte of `data`. Greater than the offset asked for if older
  /// output was rotated away.
  std::int64_t offset = 0;
  /// The end of what is written so far.
  std::int64_t end = 0;
};

/// Reads at most `limit` bytes of a program's output from `offset` on; a
/// negative offset means the last `-offset` bytes. An offset at or beyond the
/// end gives no data. Fails with `Errc::unreadable` if there is no such log.
/// @param directory The program's own, `LaunchSpec::directory`.
Result<LogPart> read_log(const std::string& directory, LogStream stream,
                         std::int64_t offset, std::size_t limit);

} // namespace stoker::process
