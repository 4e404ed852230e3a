#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Where one partition stands in the data file of an output.
struct PartitionEntry {
  /// From the beginning of the file.
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  /// CRC-32C of its bytes (outputs/checksum.hpp).
  std::uint32_t checksum = 0;

  friend bool operator==(const PartitionEntry&, const PartitionEntry&)
      = default;
};

/// What is in the data file of one task's attempt: its partitions, which follow
/// each other without a gap. docs/develop/output-format.md has its form in a file.
struct OutputIndex {
  TaskAttempt attempt;

  /// The executor that wrote it.
  std::int32_t exec_id = 0;
  std::vector<PartitionEntry> partitions;

  /// Of the data file.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept {
    return partitions.empty()
               ? 0
               : partitions.back().offset + partitions.back().bytes;
  }

  friend bool operator==(const OutputIndex&, const OutputIndex&) = default;
};

/// Of an output, at most: an index has 20 MB then.
inline constexpr std::size_t partitions_max = 1'000'000;

/// As it stands in a file.
std::string to_bytes(const OutputIndex& x);

/// Reads it again. Fails with `Errc::corrupt` if anything is not as it was
/// written, and with `Errc::too_new` for a version that is not known.
Result<OutputIndex> parse_index(std::span<const char> bytes);

/// What the first bytes of an index say; its checksum is not looked at.
struct OutputIndexHeader {
  TaskAttempt attempt;
  std::int32_t exec_id = 0;
  std::uint32_t partitions = 0;
  std::uint64_t data_bytes = 0;
};
inline constexpr std::size_t index_header_bytes = 40;
Result<OutputIndexHeader> parse_index_header(std::span<const char> bytes);

/// Reads the index of an attempt from a file. Fails with `Errc::not_found` if there
/// is none, with `Errc::io`, or as `parse_index`; also if it is another attempt's.
Result<OutputIndex> read_index(const std::filesystem::path& file,
                               const TaskAttempt& expected);

} // namespace stoker
