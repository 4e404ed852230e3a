#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "messages/instant.hpp"
#include "messages/named_resources.hpp"
#include "scheduling/common/executor_size.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/placement/capacity.hpp"

namespace stoker {

/// Whom room is kept for: a driver, whose application is to have it, or an
/// application that waits for its gang.
using ReservationOwner = std::variant<DriverKey, AppKey>;

/// Room for one executor.
struct ReservedPlace {
  WorkerKey worker{};
  ResourceAddresses resources;

  /// Set while a part of the place is lent: the part that is still kept.
  std::optional<ExecutorSize> part;
};

/// Room that is kept for executors of one size.
struct Reservation {
  ExecutorShape shape;
  std::vector<ReservedPlace> places;

  /// Then it is given back.
  Instant until;

  /// How many of the places are lent in part. `KeptRoom` counts them.
  int partial = 0;

  /// What one of them holds.
  [[nodiscard]] Allotment allotment(const ReservedPlace& x) const {
    return {x.part.value_or(shape.size), x.resources};
  }

  /// @return for how many executors whole places are kept
  [[nodiscard]] int count() const noexcept {
    return static_cast<int>(places.size()) - partial;
  }
};

/// All room that is kept, by whom it is kept for and by worker. What is here has been
/// taken of the ledger (`Capacity`).
///
/// Invariants: the numbers by worker are those of the places, and so is the number of
/// places that are lent in part.
class KeptRoom {
public:
  /// Nothing is kept yet. @pre the owner has none
  void begin(ReservationOwner owner, ExecutorShape shape, Instant until);

  /// @pre it has begun
  void add(ReservationOwner owner, ReservedPlace place);

  /// Takes all out. Nothing: it has none.
  std::optional<Reservation> end(ReservationOwner owner);

  /// Takes those places out of which `which` says yes.
  template <class Which>
  std::vector<ReservedPlace> take(ReservationOwner owner, Which which) {
    std::vector<ReservedPlace> result;
    auto& reservation = all_.at(owner);
    std::erase_if(reservation.places, [&](ReservedPlace& x) {
      if (!which(x))
        return false;
      uncount(owner, x.worker);
      reservation.partial -= x.part ? 1 : 0;
      result.push_back(std::move(x));
      return true;
    });
    return result;
  }

  /// A worker is gone, and what was kept there. Returns for whom.
  std::vector<ReservationOwner> lose(WorkerKey worker);

  /// All is kept for so much longer.
  void postpone(Duration by);

  // -- queries ----------------------------------------------------------------

  /// Null: nothing is kept for it.
  [[nodiscard]] const Reservation* find(ReservationOwner owner) const;

  /// How many executors there is room kept for on a worker, and for whom.
  [[nodiscard]] const std::map<ReservationOwner, int>&
  kept_on(WorkerKey worker) const;

  [[nodiscard]] const std::map<ReservationOwner, Reservation>&
  all() const noexcept {
    return all_;
  }

  /// Recounts. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  using OfWorker = std::map<ReservationOwner, int>;

  void uncount(ReservationOwner owner, WorkerKey worker);

  std::map<ReservationOwner, Reservation> all_;
  std::unordered_map<WorkerKey, OfWorker> by_worker_;
};

} // namespace stoker
