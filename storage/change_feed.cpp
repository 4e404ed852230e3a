#include "storage/change_feed.hpp"

#include <cassert>
#include <utility>

namespace stoker {

void ChangeFeed::begin(LeaderEpoch epoch, const StoredState& stored) {
  tables_ = StoredTables{stored};
  batches_.clear();
  changes_ = 0;
  end_ = {epoch, 0};
}

void ChangeFeed::append(LeaderEpoch epoch, std::uint64_t number,
                        SharedChanges changes) {
  if (epoch != end_.epoch)
    return;
  assert(number == end_.batch + 1);
  end_.batch = number;
  tables_.apply(*changes);
  changes_ += changes->size();
  batches_.push_back(std::move(changes));
  while (changes_ > limit_ && batches_.size() > 1) {
    changes_ -= batches_.front()->size();
    batches_.pop_front();
  }
}

FeedUpdate ChangeFeed::read(const FeedPosition& after) const {
  assert(has_news(after));
  auto missed = end_.batch - after.batch;
  if (after.epoch == end_.epoch && after.batch <= end_.batch
      && missed <= batches_.size())
    return {
        end_,
        nullptr,
        {batches_.end() - static_cast<std::ptrdiff_t>(missed), batches_.end()}};
  return {end_, std::make_shared<const StoredState>(tables_.snapshot()), {}};
}

} // namespace stoker
