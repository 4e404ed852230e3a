#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "messages/output.hpp"
#include "messages/result.hpp"
#include "scheduling/worker/output_source.hpp"

namespace stoker {

/// A piece of a log, as its disk has it.
struct LogPiece {
  std::string data;

  /// The offset of the first byte, beyond the one asked for if older output is not kept.
  std::int64_t offset = 0;

  /// The end of the output that is written so far.
  std::int64_t end = 0;

  /// Bytes before `data` that were asked for, and that the log did not delete itself.
  std::int64_t gone = 0;

  /// Bytes that were appended to a file which the log had left: no offset leads to them.
  std::int64_t beside = 0;
};

/// The supervisor's account of one output of its program.
struct OutputAccount {
  /// The program could not be started, so it has no output.
  bool could_not_start = false;

  /// The number of bytes that the log took, if the supervisor has said so.
  std::optional<std::int64_t> written;

  /// Bytes that were dropped, of both streams.
  std::int64_t lost = 0;

  /// The log tells what rotation deleted, so `LogPiece::gone` is right.
  bool tells_rotation = false;

  /// Why the program waits to write more.
  std::optional<std::string> problem;
};

/// Returns what a worker tells of one output now.
/// @param position What the reader asks for: it has all before.
/// @param piece What the log gave; Errc::io: it cannot be read now.
/// @param account Asks for what the supervisor has said, which is needed sometimes only.
OutputPart output_part(const OutputPosition& position,
                       const OutputSource& source, Result<LogPiece> piece,
                       const std::function<Result<OutputAccount>()>& account);

/// Returns true if a reader that waits is to be told of the part at once.
bool is_news(const OutputPart& part, const OutputPosition& asked);

} // namespace stoker
