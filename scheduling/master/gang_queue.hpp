#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "messages/instant.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// The gangs that wait for room, since when, and the one that room is kept for.
///
/// Invariants: at most one reserves, and it waits; those that have waited for long
/// enough wait.
class GangQueue {
public:
  /// One waits, and may reserve at `when`. Returns whether it did not wait before.
  bool add(QueuePosition gang, Instant when);

  /// One does not wait any more; an unknown one is harmless.
  void erase(QueuePosition gang);

  /// Those whose time has come by `now` have waited for long enough.
  void advance(Instant now);

  /// It waits anew, whether it reserves or not, and may reserve at `when`. @pre it waits
  void wait_anew(QueuePosition gang, Instant when);

  /// Room is kept for it from now on. @pre it waits, and nobody reserves
  void begin(QueuePosition gang);

  /// All may reserve so much later.
  void postpone(Duration by);

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] const std::optional<QueuePosition>& reserving() const noexcept {
    return reserving_;
  }

  /// The first in the order that has waited for long enough, from `from` on.
  [[nodiscard]] std::optional<QueuePosition> first_ready(QueuePosition from
                                                         = {}) const;

  /// When it may reserve; nothing: it does not wait.
  [[nodiscard]] std::optional<Instant> may_reserve(QueuePosition gang) const;

  /// How many wait.
  [[nodiscard]] std::size_t size() const noexcept {
    return waiting_.size();
  }

  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  std::map<QueuePosition, Instant> waiting_;
  std::set<std::pair<Instant, QueuePosition>> by_time_;
  std::set<QueuePosition> ready_;
  std::optional<QueuePosition> reserving_;
};

} // namespace stoker
