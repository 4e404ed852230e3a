#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "messages/result.hpp"
#include "process/control_protocol.hpp"

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
  /// How many of the bytes between the offset asked for and `offset` rotation did not delete:
  /// another process took them.
  std::int64_t gone = 0;
  /// Bytes that another process appended to a file which the log had left before `data` ends.
  /// No offset leads to them.
  std::int64_t beside = 0;
};

/// Tells whether a program has written anything, or has changed its state, since
/// another stamp was taken: then they differ. Cheaper than to read.
struct OutputStamp {
  /// What is written so far.
  std::int64_t out_end = 0;
  std::int64_t err_end = 0;

  /// Inode and time of `state.json`. A later file may have the inode of an
  /// earlier one.
  std::array<std::int64_t, 3> state{};

  friend bool operator==(const OutputStamp&, const OutputStamp&) = default;
};

/// Nothing if that cannot be told.
std::optional<OutputStamp> stamp_of(const std::string& directory);

/// What is known about a program. Fails with `Errc::not_found` if nothing is, and with
/// `Errc::io` if it cannot be read now: it may be read later.
Result<State> read_state(const std::string& directory);

/// Reads at most `limit` bytes of a program's output from `offset` on; a
/// negative offset means the last `-offset` bytes. An offset at or beyond the
/// end gives no data. Fails with `Errc::unreadable` if there is no such log or it is
/// damaged, and with `Errc::io` if it cannot be read now, for example because no
/// descriptor is left: it may be read later.
/// @param directory Its supervisor's, `LaunchSpec::directory`.
Result<LogPart> read_log(const std::string& directory, LogStream stream,
                         std::int64_t offset, std::size_t limit);

} // namespace stoker::process
