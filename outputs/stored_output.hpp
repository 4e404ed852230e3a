#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "outputs/output_index.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// A committed output that is open for reading, also if it is removed meanwhile.
class StoredOutput {
public:
  /// Fails with `Errc::not_found` if it is not there, with `Errc::corrupt` if its
  /// index is damaged or its data are not as long as that says, and with `Errc::io`.
  static Result<StoredOutput> open(const std::filesystem::path& directory,
                                   const TaskAttempt& attempt);

  /// The same with an index that was read before.
  static Result<StoredOutput> open(const std::filesystem::path& directory,
                                   std::shared_ptr<const OutputIndex> index);

  [[nodiscard]] const OutputIndex& index() const noexcept {
    return *index_;
  }

  /// Reads as many bytes at an offset as there is room for, or up to the end of the
  /// file. Fails with `Errc::io`, and with `Errc::corrupt` at the end.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;

private:
  StoredOutput(std::shared_ptr<const OutputIndex> index, process::UniqueFd data)
      : index_(std::move(index)), data_(std::move(data)) {
  }

  std::shared_ptr<const OutputIndex> index_;
  process::UniqueFd data_;
};

} // namespace stoker
