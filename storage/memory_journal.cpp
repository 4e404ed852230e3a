#include "storage/memory_journal.hpp"

#include <cassert>

namespace stoker {

Result<Leadership> MemoryStore::lead(const std::string& master_url,
                                     std::int64_t at_ms) {
  std::lock_guard guard{mutex_};
  if (auto status = before_(); !status)
    return std::move(status).error();
  epoch_ = next_epoch(epoch_, at_ms);
  master_url_ = master_url;
  return Leadership{epoch_, tables_.snapshot()};
}

Status MemoryStore::commit(LeaderEpoch epoch, const Changes& changes) {
  std::lock_guard guard{mutex_};
  if (auto status = before_(); !status)
    return status;
  if (auto status = check_epoch(epoch); !status)
    return status;
  tables_.apply(changes);
  return {};
}

Status MemoryStore::check(LeaderEpoch epoch) const {
  std::lock_guard guard{mutex_};
  return check_epoch(epoch);
}

Status MemoryStore::check_epoch(LeaderEpoch epoch) const {
  if (epoch == epoch_)
    return {};
  return Error{Errc::fenced, master_url_ + " leads now, in epoch "
                                 + std::to_string(epoch_.value)};
}

LeaderEpoch MemoryStore::epoch() const {
  std::lock_guard guard{mutex_};
  return epoch_;
}

StoredState MemoryStore::snapshot() const {
  std::lock_guard guard{mutex_};
  return tables_.snapshot();
}

Result<Leadership> MemoryJournal::lead(const std::string& master_url,
                                       std::int64_t at_ms) {
  auto result = store_->lead(master_url, at_ms);
  if (result)
    epoch_ = result->epoch;
  return result;
}

Status MemoryJournal::commit(const Changes& changes) {
  assert(epoch_.value > 0);
  return store_->commit(epoch_, changes);
}

Status MemoryJournal::check() {
  assert(epoch_.value > 0);
  return store_->check(epoch_);
}

} // namespace stoker
