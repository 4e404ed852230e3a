#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduling/master/records.hpp"

namespace stoker {

/// So many ended drivers are kept at most because their submissions may be repeated.
inline constexpr std::size_t submissions_kept_max = 10'000;

/// So many are kept at most because they go on under another id.
inline constexpr std::size_t relaunched_kept_max = 10'000;

/// Drivers that wait, that run, and the last ones that ended.
///
/// Who submitted a driver knows it by its first id: one that was relaunched is not forgotten
/// before the last one that runs in its place has ended, unless there are too many of them.
///
/// Invariants: each driver waits for others to end, or waits to be admitted, or waits for a
/// worker, or has a worker, or has ended, and just one of these; each is found by its id, and
/// by its submission if it has one. One that has ended may be forgotten, or is kept because it
/// was relaunched.
class DriverTable {
public:
  /// How many there have been: numbers are not given twice.
  [[nodiscard]] std::uint32_t count_ever() const noexcept {
    return next_;
  }
  void set_count_ever(std::uint32_t count);

  /// Adds a driver with the next number, which waits: for others first, if it says so, then
  /// to be admitted.
  /// @pre The id is new.
  Driver& add(StoredDriver driver);

  /// Takes over a driver under the number that it had: ended if it has ended,
  /// else waiting as one that was added. Nothing: its number or id is here already.
  Driver* restore(StoredDriver driver);

  /// All are restored: whose successors have ended, or are not here, may be forgotten.
  void release_restored();

  /// What a driver that waits for others waits for now. Nothing: to be admitted.
  void wait_for(DriverKey key, std::vector<Dependency> others);

  /// A driver that waits to be admitted waits for a worker now.
  /// @param turn its place among them; unset: it has that of its arrival
  void admit(DriverKey key, std::optional<std::uint64_t> turn);

  /// One that waits for a worker waits to be admitted again.
  void dismiss(DriverKey key);

  /// A waiting driver is given a worker.
  void assign(DriverKey key, WorkerKey worker);

  /// It has no worker any more, and waits for one again, in the place that it had.
  /// @pre It has one.
  void unassign(DriverKey key);

  /// It has ended, here if it was relaunched. Returns the worker that it had, if any.
  std::optional<WorkerKey> end(DriverKey key, Instant when);

  /// The first one of `ended` that is not kept because it was relaunched, if there are more
  /// than `retained` of them and it has no submission or has ended before; where it was
  /// relaunched, its last successor has.
  [[nodiscard]] std::optional<DriverKey> find_forgettable(int retained,
                                                          Instant before) const;

  /// Forgets the first one of `ended` that is not kept. Returns its id.
  /// @pre There is one.
  DriverId forget_oldest();

  // -- look-up ----------------------------------------------------------------

  [[nodiscard]] std::optional<DriverKey> find(const DriverId& id) const;

  /// @pre The submission is not empty.
  [[nodiscard]] std::optional<DriverKey>
  find_by_submission(const std::string& submission) const;

  [[nodiscard]] const Driver& at(DriverKey key) const {
    return drivers_.at(key);
  }

  /// Its id, its worker, what it waits for, and when and how it has ended stay.
  [[nodiscard]] Driver& edit(DriverKey key) {
    return drivers_.at(key);
  }

  [[nodiscard]] bool contains(DriverKey key) const {
    return drivers_.contains(key);
  }

  /// In order of arrival.
  [[nodiscard]] const std::map<DriverKey, Driver>& all() const noexcept {
    return drivers_;
  }

  /// For a worker: by their turns, in order of arrival where they have none.
  [[nodiscard]] const std::deque<DriverKey>& waiting() const noexcept {
    return waiting_;
  }

  /// Whether it waits to be admitted.
  [[nodiscard]] bool is_queued(DriverKey key) const;

  /// By their `end_number`, in the order in which the master heard of their ends; those
  /// of earlier leaders come first, in the order in which they ended.
  [[nodiscard]] const std::map<std::uint64_t, DriverKey>&
  ended() const noexcept {
    return ended_;
  }

  /// The next one that ends has it, or a higher one.
  [[nodiscard]] std::uint64_t next_end_number() const noexcept {
    return next_end_;
  }

  /// The driver that runs in its place, or ran last: itself, if it was not relaunched or
  /// its successor is not here.
  [[nodiscard]] DriverKey last_start(DriverKey key) const;

  /// Drivers that have a worker.
  [[nodiscard]] int running() const noexcept {
    return running_;
  }

  /// Recounts. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  Driver& insert(DriverKey key, StoredDriver&& driver);
  void insert_waiting(DriverKey key);
  [[nodiscard]] bool is_waiting(DriverKey key) const;
  void insert_ended(DriverKey key);
  [[nodiscard]] bool goes_on(DriverKey key) const;
  void release_predecessors(const DriverId& id);

  std::map<DriverKey, Driver> drivers_;
  std::uint32_t next_ = 0;
  std::unordered_map<DriverId, DriverKey> by_id_;
  std::unordered_map<std::string, DriverKey> by_submission_;
  std::deque<DriverKey> waiting_;
  std::map<std::uint64_t, DriverKey> ended_;
  std::uint64_t next_end_ = 0;

  // Each one that has ended is in one of them, by its `end_number`.
  std::map<std::uint64_t, DriverKey> forgettable_;
  std::map<std::uint64_t, DriverKey> relaunched_;

  /// Which driver was relaunched as it.
  std::unordered_map<DriverId, DriverKey> predecessors_;
  int running_ = 0;
};

} // namespace stoker
