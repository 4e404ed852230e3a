#pragma once

#include <string>
#include <utility>

namespace stoker {

/// Whether a leader hangs, as one that stands by sees it. A leader that lives and
/// commits shows another sign every `beat_every`; a standby looks as often. Looks
/// are counted, not time: a standby that was stopped itself has seen nothing.
class LeaderWatch {
public:
  /// A look at the leader's sign; empty: it shows none. Returns how many looks in
  /// a row have found the same one. One that never shows any is left alone.
  int look(std::string sign) {
    same_ = sign.empty() || sign != last_ ? 0 : same_ + 1;
    last_ = std::move(sign);
    return same_;
  }

private:
  std::string last_;
  int same_ = 0;
};

} // namespace stoker
