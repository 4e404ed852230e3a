#pragma once

#include <set>
#include <string>

namespace stoker {

/// Why a master is of no use.
enum class MasterFailure {
  /// It cannot be reached, or does not lead.
  unreachable,
  /// As `Errc::refused`: it may let us in later.
  refused,
  /// As `Errc::untrusted`: it never lets us in.
  untrusted,
};

/// Why the masters that were tried in a round are of no use. A master that refuses us may lead, so
/// refusals come before all other reasons.
class FailedRound {
public:
  /// @param reason "ADDRESS: WHY", or any other text.
  void add(const std::string& reason, MasterFailure failure);

  [[nodiscard]] bool has_refusal() const noexcept {
    return !refusals_.empty();
  }

  /// Returns true if another round would end as this one: no master will let us in.
  [[nodiscard]] bool is_hopeless() const noexcept {
    return has_refusal() && others_.empty() && all_untrusted_;
  }

  /// Returns all reasons, each once, the refusals first: "one; other". Masters with the same
  /// reason stand together: "stoker://a:1, stoker://b:1: why".
  [[nodiscard]] std::string reasons() const;

private:
  std::set<std::string> refusals_;
  std::set<std::string> others_;
  bool all_untrusted_ = true;
};

} // namespace stoker
