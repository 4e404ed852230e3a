#pragma once

#include <set>
#include <string>

namespace stoker {

/// Why the masters that were tried in a round are of no use. Who lets us not in may lead, and no
/// standby knows: what there is to do about that is told before all else.
class FailedRound {
public:
  /// @param is_refusal As `Errc::refused`.
  void add(const std::string& reason, bool is_refusal);

  [[nodiscard]] bool has_refusal() const noexcept {
    return !refusals_.empty();
  }

  /// The refusals, if there are any, else all, each once: "one; other".
  [[nodiscard]] std::string reasons() const;

  /// The refusals, if there are any, else what was added last.
  [[nodiscard]] std::string last() const;

private:
  std::set<std::string> refusals_;
  std::set<std::string> others_;
  std::string last_;
};

} // namespace stoker
