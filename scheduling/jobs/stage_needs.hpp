#pragma once

#include <map>
#include <set>

#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

/// Which stages are needed: not complete, and a job waits for their results or a stage
/// that is needed reads them. Those of which all is there that they read are ready.
///
/// A change costs as much as changes by it, and not more because of other jobs.
class StageNeeds {
public:
  /// A new stage: it is not complete.
  /// @pre it is not known
  void add(const StageSpec& spec);

  /// The stage is known no more. One that comes later under its number is another.
  /// @pre it is known, and no stage that is needed reads it
  void erase(StageId id);

  /// A job waits for its results.
  /// @pre it is known
  void want(StageId id);

  /// @pre it is known
  void set_complete(StageId id, bool value);

  /// Whether its tasks may begin.
  [[nodiscard]] bool is_ready(StageId id) const;

  /// Those that may have become ready, or not ready, since this was asked.
  std::set<StageId> take_changed();

  /// Whether they say the same; whatever has changed since when.
  friend bool operator==(const StageNeeds& a, const StageNeeds& b) {
    return a.nodes_ == b.nodes_;
  }

private:
  /// What is known of a stage, or of a number that a known stage reads.
  struct Node {
    bool known = false;
    bool complete = false;
    bool wanted = false;
    bool needed = false;

    /// How many stages that are needed read it.
    int needed_readers = 0;

    /// How many of those that it reads are not complete.
    int missing = 0;
    std::set<StageId> reads;
    std::set<StageId> readers;

    friend bool operator==(const Node&, const Node&) = default;
  };

  /// Finds out whether the stage is needed, and from there back what it reads.
  void update(StageId first);
  void drop_if_unused(StageId id);

  std::map<StageId, Node> nodes_;
  std::set<StageId> changed_;
};

} // namespace stoker
