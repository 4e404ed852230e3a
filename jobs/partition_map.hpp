#pragma once

// Which partitions of its parents a partition is made of.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/describe.hpp>

namespace stoker::jobs {

/// Of a union: those of the first parent, then those of the second, and so on.
struct UnitedPartitions {
  /// Of each parent.
  std::vector<std::int32_t> counts;

  struct Place {
    std::size_t parent = 0;
    int partition = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };

  /// Behind the last one: the parent's number is none.
  [[nodiscard]] Place at(int partition) const {
    Place result{0, partition};
    while (result.parent < counts.size()
           && result.partition >= counts[result.parent])
      result.partition -= counts[result.parent++];
    return result;
  }
};
BOOST_DESCRIBE_STRUCT(UnitedPartitions, (), (counts))

/// Of fewer partitions than the parent has: neighbours go together, as evenly as can
/// be.
struct CoalescedPartitions {
  std::int32_t parents = 1;
  std::int32_t partitions = 1;

  /// The parent's first partition that a partition has. Up to the next one's.
  [[nodiscard]] int begin(int partition) const {
    return static_cast<int>(std::int64_t{parents} * partition / partitions);
  }
};
BOOST_DESCRIBE_STRUCT(CoalescedPartitions, (), (parents, partitions))

} // namespace stoker::jobs
