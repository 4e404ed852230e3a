#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "outputs/checksum.hpp"

namespace stoker {

/// Writes the output of one task's attempt: partitions one after the other into a
/// data file, and an index. Both have other names until `commit`, the index is
/// renamed last: an output that has an index is whole. What is not committed is
/// removed with this object, or, if the process is killed, when the worker hears of
/// its end. Nothing is synced: an output that is lost with its machine is computed
/// again.
///
/// Errors are `Errc::full` (no room on the disk, or the application's quota is used
/// up) and `Errc::io`. After an error the output cannot be committed.
class OutputWriter {
public:
  /// @param directory The application's, which its worker serves.
  /// @param exec_id The executor that this process is.
  /// @param partitions As many as the output has, also if some remain empty.
  /// Fails also with `Errc::not_found` if no worker serves the directory, and with
  /// `Errc::invalid_request` if there are too many partitions.
  static Result<OutputWriter> open(const std::filesystem::path& directory,
                                   const TaskAttempt& attempt, int exec_id,
                                   int partitions);

  OutputWriter(OutputWriter&& other) noexcept;
  OutputWriter& operator=(OutputWriter&& other) = delete;
  ~OutputWriter();

  /// Adds bytes to a partition: the same as the last time, or a later one.
  Status append(int partition, std::span<const char> bytes);

  /// Adds bytes of another file to a partition, within the kernel, which does not
  /// see them: see `set_checksum`. Fails with `Errc::corrupt` if the file does not
  /// have so many.
  Status append_from(int partition, int fd, std::uint64_t offset,
                     std::uint64_t bytes);

  /// Of all that was added to a partition so far, in place of what was computed.
  /// @pre no later partition was added to
  void set_checksum(int partition, const Checksum& checksum);

  /// From now on others may read it. Returns the bytes of each partition.
  /// Repeating it is an error.
  Result<std::vector<std::uint64_t>> commit();

private:
  struct State;

  explicit OutputWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

} // namespace stoker
