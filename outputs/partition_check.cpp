#include "outputs/partition_check.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

PartitionCheck::PartitionCheck(std::vector<PartitionSize> sizes)
    : sizes_(std::move(sizes)) {
  for (const auto& x : sizes_)
    left_ += x.bytes;
  if (!sizes_.empty())
    current_left_ = sizes_.front().bytes;
}

Status PartitionCheck::take(std::span<const char> bytes) {
  assert(bytes.size() <= left_);
  for (;;) {
    auto now = bytes.first(static_cast<std::size_t>(
        std::min<std::uint64_t>(bytes.size(), current_left_)));
    checksum_.add(now);
    taken_ += now.size();
    left_ -= now.size();
    current_left_ -= now.size();
    bytes = bytes.subspan(now.size());
    if (auto good = finish_those_that_end(); !good || bytes.empty())
      return good;
  }
}

Status PartitionCheck::finish_those_that_end() {
  while (current_ < sizes_.size() && current_left_ == 0) {
    if (checksum_.value() != sizes_[current_].checksum)
      return Error{Errc::corrupt, "its bytes are not those that were written"};
    checksum_ = {};
    if (++current_ < sizes_.size())
      current_left_ = sizes_[current_].bytes;
  }
  return {};
}

} // namespace stoker
