#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Writes the output of one task's attempt whose bytes come in any order of
/// partitions. Each partition has a buffer of its own; one that is full goes to the
/// end of a single spill file. `commit` puts the parts of each partition together,
/// within the kernel.
///
/// What is spilled counts against the quota until it is committed, beside the output
/// itself: both are on the disk then. Errors are those of OutputWriter; after one
/// the output cannot be committed.
class PartitionCollector {
public:
  /// @param buffer_bytes Of each partition, allocated when it gets its first bytes.
  /// Fails as `OutputWriter::open`.
  static Result<PartitionCollector>
  open(const std::filesystem::path& directory, const TaskAttempt& attempt,
       int exec_id, int partitions,
       std::size_t buffer_bytes = std::size_t{32} << 10);

  PartitionCollector(PartitionCollector&& other) noexcept;
  PartitionCollector& operator=(PartitionCollector&& other) = delete;
  ~PartitionCollector();

  /// Adds bytes to the end of a partition.
  Status add(int partition, std::span<const char> bytes);

  /// As `OutputWriter::commit`.
  Result<std::vector<std::uint64_t>> commit();

  /// How many bytes the spill file has.
  [[nodiscard]] std::uint64_t spilled_bytes() const noexcept;

private:
  struct State;

  explicit PartitionCollector(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

} // namespace stoker
