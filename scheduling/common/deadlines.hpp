#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// When something has to be looked at, and the wake-up for that. `Kind` is an
/// enum that says what it is; a number says which one.
///
/// Entries may be stale: looking too early, or twice, changes nothing, so none
/// is ever removed before its time.
///
/// Invariant: after `arm` a wake-up is pending that is not later than the
/// earliest entry.
template <class Kind>
class Deadlines {
public:
  struct Entry {
    Instant when;
    Kind kind{};
    std::uint32_t number = 0;
  };

  void add(Instant when, Kind kind, std::uint32_t number) {
    entries_.emplace(when, kind, number);
  }

  /// A wake-up has come. What is added while its result is worked on is due in
  /// the same step, if its time has come: call it until it returns nothing.
  std::optional<Entry> take_due(Instant now) {
    if (armed_for_ && *armed_for_ <= now)
      armed_for_.reset();
    if (entries_.empty() || std::get<Instant>(*entries_.begin()) > now)
      return std::nullopt;
    auto [when, kind, number] = *entries_.begin();
    entries_.erase(entries_.begin());
    return Entry{when, kind, number};
  }

  /// Returns when to wake up, unless a wake-up that is early enough is pending.
  std::optional<Instant> arm() {
    if (is_armed())
      return std::nullopt;
    armed_for_ = std::get<Instant>(*entries_.begin());
    return armed_for_;
  }

  /// How late the wake-up is that is pending; nothing: it is not due yet.
  [[nodiscard]] std::optional<Duration> lateness(Instant now) const {
    if (!armed_for_ || *armed_for_ > now)
      return std::nullopt;
    return now - *armed_for_;
  }

  /// The invariant.
  [[nodiscard]] bool is_armed() const {
    return entries_.empty()
           || (armed_for_
               && *armed_for_ <= std::get<Instant>(*entries_.begin()));
  }

private:
  std::set<std::tuple<Instant, Kind, std::uint32_t>> entries_;

  /// The earliest wake-up that is still pending.
  std::optional<Instant> armed_for_;
};

} // namespace stoker
