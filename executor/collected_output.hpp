#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "executor/output_sink.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// How much output is collected, and where, in bytes.
struct CollectedOutputLimits {
  /// What is kept in memory. With more, all of it goes to a file.
  std::size_t memory = std::size_t{1} << 20;

  /// More than that fails the task with `Errc::failed`: on other disks there is no more
  /// room for it.
  std::uint64_t total = std::uint64_t{1} << 30;

  /// Of the file. It has no name there, so that it is gone with this object, or with
  /// the process.
  std::string directory;
};

/// Collects output that is to be read here: a task's result.
class CollectedOutput : public OutputSink {
public:
  explicit CollectedOutput(CollectedOutputLimits limits);

  Status append(std::string_view bytes) override;
  Status finish() override;

  [[nodiscard]] std::uint64_t size() const noexcept {
    return size_;
  }

  /// Reads from `offset` on. Returns how many bytes: as many as `buffer` has, or up to
  /// the end. Fails with `Errc::io`.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset,
                                         std::span<char> buffer) const;

  /// All of it.
  [[nodiscard]] Result<std::string> text() const;

private:
  Status open_file();

  CollectedOutputLimits limits_;
  std::uint64_t size_ = 0;
  std::string memory_;
  process::UniqueFd file_;
};

} // namespace stoker::executor
