#pragma once

#include <optional>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// Knows for when a wake-up was asked for, so that another one is asked for only
/// when it has to come earlier. Without that, each step would add one.
class WakeUp {
public:
  /// Returns when to ask for a wake-up, so that one comes at `next`; nothing
  /// when one comes before that anyway.
  [[nodiscard]] std::optional<Instant>
  ask_for(const std::optional<Instant>& next) {
    if (!next || (pending_ && *pending_ <= *next))
      return std::nullopt;
    pending_ = next;
    return next;
  }

  /// A wake-up has come, perhaps too early.
  void came(Instant now) {
    if (pending_ && *pending_ <= now)
      pending_.reset();
  }

private:
  std::optional<Instant> pending_;
};

/// The earlier one, if there is any.
inline std::optional<Instant> earlier(const std::optional<Instant>& a,
                                      const std::optional<Instant>& b) {
  if (!a || !b)
    return a ? a : b;
  return *a < *b ? a : b;
}

} // namespace stoker
