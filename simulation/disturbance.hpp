#pragma once

#include "scheduling/common/instant.hpp"

namespace stoker::simulation {

/// When something was last kept from what it does.
class Disturbance {
public:
  /// Something begins that lasts.
  void begin(Instant now) {
    last_ = now;
    ++lasting_;
  }

  /// What began before is over.
  void end(Instant now) {
    last_ = now;
    if (lasting_ > 0)
      --lasting_;
  }

  /// Something happens, and is over.
  void note(Instant now) {
    last_ = now;
  }

  /// All that began is over.
  void end_all(Instant now) {
    last_ = now;
    lasting_ = 0;
  }

  /// Whether there was anything after `since`.
  [[nodiscard]] bool after(Instant since) const noexcept {
    return lasting_ > 0 || last_ > since;
  }

private:
  Instant last_;
  int lasting_ = 0;
};

} // namespace stoker::simulation
