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
    insert_ended(key);
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

void DriverTable::release_restored() {
  std::erase_if(relaunched_, [this](const auto& x) {
    auto stays = goes_on(x.second);
    if (!stays)
      forgettable_.insert(x);
    return !stays;
  });
}

void DriverTable::wait_for(DriverKey key, std::vector<Dependency> others) {
  auto& driver = drivers_.at(key);
  assert(!driver.worker && !driver.stored.ended);
  driver.stored.waits_for = std::move(others);
}

void DriverTable::admit(DriverKey key, std::optional<std::uint64_t> turn) {
  auto& driver = drivers_.at(key);
  assert(!driver.worker && !driver.stored.ended
         && driver.stored.waits_for.empty());
  driver.stored.turn = turn;
  insert_waiting(key);
}

void DriverTable::dismiss(DriverKey key) {
  assert(is_waiting(key));
  std::erase(waiting_, key);
  drivers_.at(key).stored.turn.reset();
}

void DriverTable::insert_waiting(DriverKey key) {
  auto before = [this](DriverKey x, DriverKey y) {
    auto place = [this](DriverKey z) {
      return std::pair{drivers_.at(z).stored.turn, z};
    };
    return place(x) < place(y);
  };
  waiting_.insert(
      std::lower_bound(waiting_.begin(), waiting_.end(), key, before), key);
}

bool DriverTable::is_waiting(DriverKey key) const {
  return std::find(waiting_.begin(), waiting_.end(), key) != waiting_.end();
}

bool DriverTable::is_queued(DriverKey key) const {
  const auto& x = drivers_.at(key);
  return !x.worker && !x.stored.ended && x.stored.waits_for.empty()
         && !is_waiting(key);
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
  insert_ended(key);
  auto worker = std::exchange(driver.worker, std::nullopt);
  if (worker)
    --running_;
  else
    std::erase(waiting_, key);
  return worker;
}

void DriverTable::insert_ended(DriverKey key) {
  auto& driver = drivers_.at(key);
  std::pair place{driver.end_number = next_end_++, key};
  ended_.insert(place);
  if (const auto& successor = driver.stored.relaunched_as) {
    predecessors_[*successor] = key;
    relaunched_.insert(place);
    if (relaunched_.size() > relaunched_kept_max)
      forgettable_.insert(relaunched_.extract(relaunched_.begin()));
  } else {
    forgettable_.insert(place);
    release_predecessors(driver.stored.id);
  }
}

void DriverTable::release_predecessors(const DriverId& id) {
  for (auto i = predecessors_.find(id); i != predecessors_.end();) {
    const auto& before = drivers_.at(i->second);
    if (auto kept = relaunched_.extract(before.end_number))
      forgettable_.insert(std::move(kept));
    i = predecessors_.find(before.stored.id);
  }
}

DriverKey DriverTable::last_start(DriverKey key) const {
  auto next = std::optional{key};
  // Each has a higher number than the one before.
  while (next) {
    key = *next;
    const auto& successor = drivers_.at(key).stored.relaunched_as;
    next = successor ? find(*successor) : std::nullopt;
  }
  return key;
}

/// Whether a driver runs in its place, or waits for that.
bool DriverTable::goes_on(DriverKey key) const {
  return !drivers_.at(last_start(key)).stored.ended;
}

std::optional<DriverKey> DriverTable::find_forgettable(int retained,
                                                       Instant before) const {
  auto kept = static_cast<std::size_t>(retained);
  if (forgettable_.size() <= kept)
    return std::nullopt;
  auto first = forgettable_.begin()->second;
  if (drivers_.at(first).stored.submission.empty()
      || forgettable_.size() > std::max(kept, submissions_kept_max))
    return first;
  const auto& end = drivers_.at(last_start(first)).stored.ended;
  // Too many of those that go on are kept.
  return !end || *end < before ? std::optional{first} : std::nullopt;
}

DriverId DriverTable::forget_oldest() {
  auto place = forgettable_.extract(forgettable_.begin());
  ended_.erase(place.key());
  auto oldest = drivers_.extract(place.mapped());
  const auto& stored = oldest.mapped().stored;
  by_id_.erase(stored.id);
  by_submission_.erase(stored.submission);
  if (stored.relaunched_as)
    predecessors_.erase(*stored.relaunched_as);
  release_predecessors(stored.id);
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
    // Else it waits to be admitted.
    if (waits + depends + ended + runs > 1)
      return name + " does not just wait, run or has ended";
    running += runs;
    auto is_in = [number = driver.end_number, key = key](const auto& x) {
      auto i = x.find(number);
      return i != x.end() && i->second == key;
    };
    if (is_in(ended_) != driver.stored.ended.has_value()
        || is_in(forgettable_) + is_in(relaunched_) != ended)
      return name + " is not among those that have ended";
    if (is_in(relaunched_) && !goes_on(key))
      return name + " is kept for a successor that does not run";
  }
  if (ended_.size() != forgettable_.size() + relaunched_.size())
    return "one that has not ended is kept as one that has";
  if (running != running_)
    return "the number of running drivers is wrong";
  if (by_id_.size() != drivers_.size())
    return "an index of drivers names one that is not there";
  return std::nullopt;
}

} // namespace stoker
