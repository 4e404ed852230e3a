#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// How long the attempts of a stage took that ended well. Its size does not depend on
/// how many they are; the median is exact to a sixteenth.
class RunTimes {
public:
  void add(Duration x) {
    auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(x.count(), 0));
    ++count_;
    sum_ += ms;
    ++counts_[bucket_of(ms)];
  }

  [[nodiscard]] std::int64_t count() const noexcept {
    return static_cast<std::int64_t>(count_);
  }

  /// In milliseconds; 0 if there are none.
  [[nodiscard]] double mean_ms() const {
    return count_ == 0
               ? 0
               : static_cast<double>(sum_) / static_cast<double>(count_);
  }

  [[nodiscard]] Duration median() const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((seen += counts_[i]) * 2 >= count_ && seen > 0)
        return Duration{static_cast<std::int64_t>(least_of(i))};
    return {};
  }

private:
  // Below 16 each number has a bucket, and above each doubling has 16.
  static constexpr std::size_t per_doubling = 16;
  static constexpr std::size_t buckets = per_doubling * 40;

  static std::size_t bucket_of(std::uint64_t ms) {
    if (ms < per_doubling)
      return ms;
    auto doubling = static_cast<std::size_t>(std::bit_width(ms)) - 5;
    auto result
        = per_doubling * (doubling + 1) + ((ms >> doubling) - per_doubling);
    return std::min(result, buckets - 1);
  }

  static std::uint64_t least_of(std::size_t bucket) {
    if (bucket < per_doubling)
      return bucket;
    auto doubling = bucket / per_doubling - 1;
    return (per_doubling + bucket % per_doubling) << doubling;
  }

  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::array<std::uint32_t, buckets> counts_{};
};

} // namespace stoker
