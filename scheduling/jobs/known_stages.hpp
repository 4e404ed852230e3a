#pragma once

#include <map>
#include <set>
#include <utility>

#include "scheduling/jobs/stage.hpp"

namespace stoker {

/// The stages of an application's jobs. It keeps note of those that may have changed, so
/// that nobody has to look at all of them to find out.
class KnownStages {
public:
  using Map = std::map<StageId, Stage>;

  [[nodiscard]] const Stage& at(StageId id) const {
    return stages_.at(id);
  }
  [[nodiscard]] Map::const_iterator find(StageId id) const {
    return stages_.find(id);
  }
  [[nodiscard]] Map::const_iterator begin() const noexcept {
    return stages_.begin();
  }
  [[nodiscard]] Map::const_iterator end() const noexcept {
    return stages_.end();
  }

  /// Changes a stage: the reference is not for later.
  /// @pre it is known
  Stage& change(StageId id) {
    changed_.insert(id);
    return stages_.at(id);
  }

  /// Returns whether it is new.
  bool add(const StageSpec& spec) {
    changed_.insert(spec.id);
    return stages_.try_emplace(spec.id, spec).second;
  }

  void erase(StageId id) {
    changed_.insert(id);
    stages_.erase(id);
  }

  /// Those that were added, changed or erased since this was asked.
  std::set<StageId> take_changed() {
    return std::exchange(changed_, {});
  }

private:
  Map stages_;
  std::set<StageId> changed_;
};

} // namespace stoker
