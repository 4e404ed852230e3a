#include "scheduling/master/driver_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

Driver& DriverTable::insert(DriverKey key, StoredDriver&& driver) {
  driver.number = static_cast<std::uint32_t>(key);
  auto& result = drivers_[key];
  result.stored = std::move(driver);
  by_id_[result.stored.id] = key;
  if (const auto& submission = result.stored.submission; !submission.empty())
    by_submission_[submission] = key;
  if (result.stored.ended)
    ended_.push_back(key);
  else if (result.stored.waits_for.empty())
    waiting_.push_back(key);
  return result;
}

void DriverTable::set_count_ever(std::uint32_t count) {
  assert(drivers_.empty());
  next_ = count;
}

Driver& DriverTable::add(StoredDriver driver) {
  assert(!find(driver.id));
  return insert(DriverKey{next_++}, std::move(driver));
}

Driver* DriverTable::restore(StoredDriver driver) {
  DriverKey key{driver.number};
  if (drivers_.contains(key) || by_id_.contains(driver.id))
    return nullptr;
  next_ = std::max(next_, driver.number + 1);
  return &insert(key, std::move(driver));
}

void DriverTable::wait_for(DriverKey key, std::vector<Dependency> others) {
  auto& driver = drivers_.at(key);
  assert(!driver.worker && !driver.stored.ended);
  auto waited = !driver.stored.waits_for.empty();
  driver.stored.waits_for = std::move(others);
  if (waited && driver.stored.waits_for.empty())
    insert_waiting(key);
}

void DriverTable::insert_waiting(DriverKey key) {
  waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), key), key);
}

void DriverTable::assign(DriverKey key, WorkerKey worker) {
  auto i = std::find(waiting_.begin(), waiting_.end(), key);
  assert(i != waiting_.end());
  waiting_.erase(i);
  drivers_.at(key).worker = worker;
  ++running_;
}

void DriverTable::unassign(DriverKey key) {
  auto& driver = drivers_.at(key);
  assert(driver.worker && !driver.stored.ended);
  driver.worker.reset();
  --running_;
  insert_waiting(key);
}

std::optional<WorkerKey> DriverTable::end(DriverKey key, Instant when) {
  auto& driver = drivers_.at(key);
  assert(!driver.stored.ended);
  driver.stored.ended = when;
  driver.stored.waits_for.clear();
  ended_.push_back(key);
  auto worker = std::exchange(driver.worker, std::nullopt);
  if (worker)
    --running_;
  else
    std::erase(waiting_, key);
  return worker;
}

std::optional<DriverKey> DriverTable::find_forgettable(int retained,
                                                       Instant before) const {
  auto kept = static_cast<std::size_t>(retained);
  if (ended_.size() <= kept)
    return std::nullopt;
  const auto& first = drivers_.at(ended_.front()).stored;
  if (!first.submission.empty() && *first.ended >= before
      && ended_.size() <= std::max(kept, submissions_kept_max))
    return std::nullopt;
  return ended_.front();
}

DriverId DriverTable::forget_oldest() {
  auto oldest = drivers_.extract(ended_.front());
  ended_.pop_front();
  const auto& stored = oldest.mapped().stored;
  by_id_.erase(stored.id);
  by_submission_.erase(stored.submission);
  return stored.id;
}

std::optional<DriverKey> DriverTable::find(const DriverId& id) const {
  auto i = by_id_.find(id);
  return i == by_id_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<DriverKey>
DriverTable::find_by_submission(const std::string& submission) const {
  auto i = by_submission_.find(submission);
  return i == by_submission_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<std::string> DriverTable::invariant_violation() const {
  int running = 0;
  for (const auto& [key, driver] : drivers_) {
    auto name = to_string(driver.stored.id);
    if (find(driver.stored.id) != key)
      return name + " is not found by its id";
    const auto& submission = driver.stored.submission;
    if (!submission.empty() && find_by_submission(submission) != key)
      return name + " is not found by its submission";
    auto waits = std::count(waiting_.begin(), waiting_.end(), key);
    auto ended = driver.stored.ended ? 1 : 0;
    auto runs = driver.worker ? 1 : 0;
    auto depends = driver.stored.waits_for.empty() ? 0 : 1;
    if (waits + depends + ended + runs != 1)
      return name + " does not just wait, run or has ended";
    running += runs;
  }
  if (running != running_)
    return "the number of running drivers is wrong";
  if (by_id_.size() != drivers_.size())
    return "an index of drivers names one that is not there";
  return std::nullopt;
}

} // namespace stoker
