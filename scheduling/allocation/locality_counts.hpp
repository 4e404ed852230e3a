#pragma once

#include <memory>
#include <unordered_map>

#include "scheduling/allocation/allocation_events.hpp"

namespace stoker {

/// Where tasks of all open stages had better run, as one sum. A stage costs what it
/// names, and once after the sum was given out, a copy of that.
class LocalityCounts {
public:
  /// Replaces what was there of this one.
  void set(StageAttempt id, LocalityHints hints);

  void erase(StageAttempt id);

  /// Never null. It does not change any more.
  [[nodiscard]] std::shared_ptr<const LocalityHints> total();

private:
  void add(const LocalityHints& hints, int sign);

  std::unordered_map<StageAttempt, LocalityHints> stages_;
  std::shared_ptr<LocalityHints> total_ = std::make_shared<LocalityHints>();

  /// Whether somebody else may read `total_`.
  bool given_out_ = false;
};

} // namespace stoker
