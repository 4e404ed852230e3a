#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "messages/job_ids.hpp"
#include "messages/output_location.hpp"

namespace stoker {

/// An output, and who has it.
struct LocatedOutput {
  OutputServer server;
  TaskAttempt attempt;
};

/// Why outputs could not be read.
struct FetchFailure {
  /// Of the output that was to be read.
  OutputServer server;
  TaskAttempt attempt;

  /// The server could not be reached, refused, or did not answer in time, several
  /// times. If not: this output is missing there, or damaged.
  bool unreachable = false;

  /// One line for people.
  std::string text;
};

/// Some bytes of an output. They stay until the reader is asked for more.
struct OutputChunk {
  /// Which of the sources, from 0.
  std::size_t source = 0;
  std::span<const char> bytes;
};

/// All was read, and is right.
struct EndOfOutputs {};

using Fetched = std::variant<OutputChunk, EndOfOutputs, FetchFailure>;

/// How long readers try, and what they take for it.
struct FetchLimits {
  /// To connect and to prove itself.
  std::chrono::milliseconds connect_timeout{5'000};

  /// For so long nothing may come from a server that was asked.
  std::chrono::milliseconds silence_max{30'000};

  /// How often a server is tried again that has failed without giving anything, and
  /// how long that waits before.
  int retries = 3;
  std::chrono::milliseconds retry_wait{1'000};

  /// A connection that nobody uses is kept for so long: for less than the service
  /// does.
  std::chrono::milliseconds keep_idle{60'000};

  /// Of a chunk, at most.
  std::size_t chunk_bytes = std::size_t{128} << 10;

  /// A reader asks so many servers at a time. What they have sent ahead is in the
  /// kernel's buffers.
  std::size_t servers_ahead = 4;
};

} // namespace stoker
