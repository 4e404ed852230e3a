#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "outputs/checksum.hpp"
#include "outputs/output_protocol.hpp"

namespace stoker {

/// Checks the bytes of some partitions while they come, one partition after the
/// other.
class PartitionCheck {
public:
  explicit PartitionCheck(std::vector<PartitionSize> sizes);

  [[nodiscard]] const std::vector<PartitionSize>& sizes() const noexcept {
    return sizes_;
  }

  /// Of all partitions, those that came and those that are missing.
  [[nodiscard]] std::uint64_t taken() const noexcept {
    return taken_;
  }
  [[nodiscard]] std::uint64_t left() const noexcept {
    return left_;
  }

  /// The next bytes. Fails with `Errc::corrupt` when a partition that ends here is
  /// not what was written.
  /// @pre they are not more than are missing
  Status take(std::span<const char> bytes);

private:
  /// Partitions that end here are right.
  Status finish_those_that_end();

  std::vector<PartitionSize> sizes_;
  std::uint64_t taken_ = 0;
  std::uint64_t left_ = 0;
  std::size_t current_ = 0;
  std::uint64_t current_left_ = 0;
  Checksum checksum_;
};

} // namespace stoker
