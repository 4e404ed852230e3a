#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace stoker {

/// The beginning of a line whose end has not come. A long one is kept in a file without a
/// name, in TMPDIR (default: /tmp).
class UnfinishedLine {
public:
  using Write = std::function<void(std::string_view)>;

  /// Bytes that are kept in memory.
  static constexpr std::size_t memory_max = std::size_t{64} * 1024;

  /// Appends text without the end of a line.
  /// @return false if there is no room in the directory: then nothing was appended
  bool append(std::string_view text);

  /// Writes all of it, and forgets it.
  /// @return false if the file cannot be read
  bool take(const Write& write);

  [[nodiscard]] bool empty() const noexcept {
    return text_.empty() && in_file_ == 0;
  }

private:
  bool spill();

  /// What follows the bytes in the file.
  std::string text_;
  process::UniqueFd file_;
  std::int64_t in_file_ = 0;
};

} // namespace stoker
