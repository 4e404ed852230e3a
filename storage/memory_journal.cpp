#include "storage/memory_journal.hpp"

#include <cassert>

namespace stoker {

Leadership MemoryStore::lead(const std::string& master_url,
                             std::int64_t at_ms) {
  std::lock_guard guard{mutex_};
  if (before_)
    before_();
  epoch_ = next_epoch(epoch_, at_ms);
  master_url_ = master_url;
  return {epoch_, tables_.snapshot()};
}

void MemoryStore::commit(LeaderEpoch epoch, const Changes& changes) {
  std::lock_guard guard{mutex_};
  if (before_)
    before_();
  if (epoch != epoch_)
    throw JournalError{JournalFault::fenced,
                       master_url_ + " leads now, in epoch "
                           + std::to_string(epoch_.value)};
  tables_.apply(changes);
}

StoredState MemoryStore::snapshot() const {
  std::lock_guard guard{mutex_};
  return tables_.snapshot();
}

Leadership MemoryJournal::lead(const std::string& master_url,
                               std::int64_t at_ms) {
  auto result = store_->lead(master_url, at_ms);
  epoch_ = result.epoch;
  return result;
}

void MemoryJournal::commit(const Changes& changes) {
  assert(epoch_.value > 0);
  store_->commit(epoch_, changes);
}

} // namespace stoker
