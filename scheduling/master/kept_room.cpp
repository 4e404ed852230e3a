#include "scheduling/master/kept_room.hpp"

#include <cassert>
#include <utility>

namespace stoker {

void KeptRoom::begin(ReservationOwner owner, ExecutorShape shape,
                     Instant until) {
  auto added
      = all_.try_emplace(owner, Reservation{std::move(shape), {}, until, 0})
            .second;
  assert(added);
  static_cast<void>(added);
}

void KeptRoom::add(ReservationOwner owner, ReservedPlace place) {
  ++by_worker_[place.worker][owner];
  auto& reservation = all_.at(owner);
  reservation.partial += place.part ? 1 : 0;
  reservation.places.push_back(std::move(place));
}

std::optional<Reservation> KeptRoom::end(ReservationOwner owner) {
  auto node = all_.extract(owner);
  if (node.empty())
    return std::nullopt;
  for (const auto& x : node.mapped().places)
    uncount(owner, x.worker);
  return std::move(node.mapped());
}

std::vector<ReservationOwner> KeptRoom::lose(WorkerKey worker) {
  std::vector<ReservationOwner> result;
  auto owners = kept_on(worker);
  for (const auto& [owner, count] : owners) {
    static_cast<void>(
        take(owner, [&](const auto& x) { return x.worker == worker; }));
    result.push_back(owner);
  }
  return result;
}

void KeptRoom::postpone(Duration by) {
  for (auto& [owner, x] : all_)
    x.until += by;
}

const Reservation* KeptRoom::find(ReservationOwner owner) const {
  auto i = all_.find(owner);
  return i == all_.end() ? nullptr : &i->second;
}

const std::map<ReservationOwner, int>&
KeptRoom::kept_on(WorkerKey worker) const {
  static const OfWorker none;
  auto i = by_worker_.find(worker);
  return i == by_worker_.end() ? none : i->second;
}

void KeptRoom::uncount(ReservationOwner owner, WorkerKey worker) {
  auto i = by_worker_.find(worker);
  auto count = i->second.find(owner);
  if (--count->second == 0)
    i->second.erase(count);
  if (i->second.empty())
    by_worker_.erase(i);
}

std::optional<std::string> KeptRoom::invariant_violation() const {
  std::unordered_map<WorkerKey, OfWorker> counted;
  for (const auto& [owner, x] : all_) {
    auto partial = 0;
    for (const auto& place : x.places) {
      ++counted[place.worker][owner];
      partial += place.part ? 1 : 0;
    }
    if (partial != x.partial)
      return "the number of places that are lent in part is wrong";
  }
  if (counted != by_worker_)
    return "the number of reservations of a worker is wrong";
  return std::nullopt;
}

} // namespace stoker
