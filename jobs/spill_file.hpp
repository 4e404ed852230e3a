#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker::jobs {

/// What a task cannot keep in memory: a file without a name, which is gone with this
/// object, or with the process. It is made when the first bytes come.
class SpillFile {
public:
  explicit SpillFile(std::string directory);

  /// Where the next bytes go.
  [[nodiscard]] std::uint64_t end() const noexcept {
    return end_;
  }

  /// Adds bytes to the end. Fails with `Errc::full` or `Errc::io`.
  Status append(std::string_view bytes);

  /// Reads exactly `size` bytes. Fails with `Errc::io`.
  Status read(std::uint64_t offset, char* to, std::size_t size) const;

  /// These bytes are not read again: their space is free, where the file system can do
  /// that.
  void free(std::uint64_t offset, std::uint64_t size);

private:
  const std::string directory_;
  process::UniqueFd file_;
  std::uint64_t end_ = 0;
};

} // namespace stoker::jobs
