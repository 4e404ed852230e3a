#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker {

// What a reader and the service say to each other, within TLS:
//
//     reader                                   service
//       | request: some parts of some outputs    |
//       |--------------------------------------->|
//       |   for each of them: answer header, ... |
//       |     ... sizes and checksums, bytes     |
//       |<---------------------------------------|   or
//       |     ... why not                        |
//       |<---------------------------------------|
//
// One request after the other, on a connection that stays. Bytes are described in
// docs/develop/output-format.md.

/// Some partitions of one output, one after the other.
struct PartitionRange {
  /// As many as there are from the first one on.
  static constexpr std::uint32_t all = 0xFFFF'FFFF;

  std::uint32_t first = 0;
  std::uint32_t count = 1;

  friend bool operator==(const PartitionRange&, const PartitionRange&)
      = default;
};

/// What is wanted of one output.
struct OutputRequest {
  TaskAttempt attempt;
  PartitionRange partitions;

  /// Of the bytes of these partitions, so many are there already.
  std::uint64_t skip = 0;

  friend bool operator==(const OutputRequest&, const OutputRequest&) = default;
};

/// In one request, at most.
inline constexpr std::size_t outputs_per_request_max = 1024;
inline constexpr std::size_t request_header_bytes = 12;
inline constexpr std::size_t request_entry_bytes = 28;
inline constexpr std::size_t request_bytes_max
    = request_header_bytes + outputs_per_request_max * request_entry_bytes;

/// @pre 1 to `outputs_per_request_max` outputs
std::string to_bytes(std::span<const OutputRequest> request);

/// What a request has behind its header, in bytes. Fails with
/// `Errc::invalid_request` if it is none of ours or too long, and with
/// `Errc::too_new`.
Result<std::size_t> parse_request_header(std::span<const char> bytes);

/// Reads what is behind the header. Fails with `Errc::invalid_request`.
Result<std::vector<OutputRequest>>
parse_request_entries(std::span<const char> bytes);

/// How the service answers for one output.
enum class OutputStatus : std::uint32_t {
  /// The partitions follow.
  found = 0,
  missing = 1,
  damaged = 2,
  /// It has no such partition, or fewer bytes than are there already.
  out_of_range = 3,
  /// It could not be read now; later perhaps.
  unreadable = 4,
};

/// In front of each answer. If the output was found, `partitions` sizes follow, then
/// the bytes that were not skipped; if not, `text_bytes` of text say why.
struct AnswerHeader {
  OutputStatus status = OutputStatus::found;
  std::uint32_t partitions = 0;
  std::uint32_t text_bytes = 0;

  /// Of all partitions of the answer, with those that are skipped.
  std::uint64_t bytes = 0;

  friend bool operator==(const AnswerHeader&, const AnswerHeader&) = default;
};
inline constexpr std::size_t answer_header_bytes = 24;
inline constexpr std::size_t answer_text_max = 1024;

std::string to_bytes(const AnswerHeader& x);

/// Fails with `Errc::corrupt`.
Result<AnswerHeader> parse_answer_header(std::span<const char> bytes);

/// Of one partition of an answer.
struct PartitionSize {
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;

  friend bool operator==(const PartitionSize&, const PartitionSize&) = default;
};
inline constexpr std::size_t partition_size_bytes = 12;

void put(std::string& out, const PartitionSize& x);

/// Reads as many as a header says. Fails with `Errc::corrupt` if their sum is not
/// what that says.
Result<std::vector<PartitionSize>>
parse_partition_sizes(std::span<const char> bytes, const AnswerHeader& header);

} // namespace stoker
