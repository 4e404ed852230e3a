#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "scheduling/common/instant.hpp"
#include "scheduling/jobs/jobs_config.hpp"
#include "scheduling/jobs/stage.hpp"

namespace stoker {

/// In which order active stages that have tasks to begin are served: the first pool by
/// the application's mode, in it the first stage by the pool's mode. FIFO: by the number
/// of the stage's first job, then by its own. FAIR, as in Spark: what is below its least
/// share comes first, by how much of it is used; else what runs least for its weight.
///
/// It is as it was at the last `update` of each stage, which costs the logarithm of the
/// number of stages.
class StageOrder {
public:
  /// Puts a stage where it belongs.
  /// @param job The first one of the stage.
  /// @pre the stage is active
  void update(const JobsConfig& config, const Stage& stage, const JobSpec& job);

  /// The stage is not active any more.
  void forget(StageId id);

  /// The stage counts as one that has no tasks to begin, until its next update.
  /// @pre it is the first one
  void set_aside(StageId id);

  /// The stage that is served next; nothing: none has tasks to begin.
  [[nodiscard]] std::optional<StageId> first() const;

  /// How many stages have tasks to begin.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return cores_.size() + at_once_.size();
  }

  // What is known of those that have tasks to begin.

  /// The fewest cores that one of their tasks takes. Nothing: all are barrier stages.
  [[nodiscard]] std::optional<int> fewest_cores() const {
    return cores_.empty() ? std::nullopt : std::optional{*cores_.begin()};
  }

  /// The fewest cores that all tasks of a barrier stage take. Nothing: there is none.
  [[nodiscard]] std::optional<std::int64_t> fewest_cores_at_once() const {
    return at_once_.empty() ? std::nullopt : std::optional{*at_once_.begin()};
  }

  /// The most tasks that one of them sends ahead for each core of an executor.
  [[nodiscard]] double most_ahead() const {
    return ahead_.empty() ? 0 : *ahead_.rbegin();
  }

  /// Those for which some executor may have room that has not changed.
  [[nodiscard]] const std::set<StageId>& not_looked_at() const noexcept {
    return not_looked_at_;
  }

  /// By when one has to be looked at again.
  [[nodiscard]] const std::set<std::pair<Instant, StageId>>&
  look_again() const noexcept {
    return look_again_;
  }

  friend bool operator==(const StageOrder&, const StageOrder&) = default;

private:
  /// What is compared, of a pool or a stage.
  struct Rank {
    SchedulingMode mode = SchedulingMode::FIFO;
    int running = 0;
    int weight = 1;
    int min_share = 0;

    /// For FIFO, and where shares are the same. A pool has those of its first stage.
    std::pair<JobId, StageId> number;

    bool operator<(const Rank& other) const;
    friend bool operator==(const Rank&, const Rank&) = default;
  };

  struct Pool {
    Rank rank;

    /// Its stages that wait, in order; and their numbers.
    std::set<Rank> waiting;
    std::set<std::pair<JobId, StageId>> numbers;

    /// All of its stages that are active.
    int stages = 0;

    friend bool operator==(const Pool&, const Pool&) = default;
  };

  /// What is known of an active stage.
  struct Place {
    std::string pool;
    Rank rank;
    bool waits = false;
    int cores = 1;
    double ahead = 0;

    /// Of all tasks together, of a barrier stage.
    std::optional<std::int64_t> at_once;
    bool looked_everywhere = false;
    std::optional<Instant> look_again;

    friend bool operator==(const Place&, const Place&) = default;
  };

  void enter(Pool& pool, const Place& place);
  void leave(Pool& pool, const Place& place);

  /// What a pool's rank depends on changes between these.
  void take(const Pool& pool);
  void put(const std::string& name, Pool& pool);

  std::map<std::string, Pool> pools_;
  std::map<Rank, std::string> pools_in_order_;
  std::map<StageId, Place> places_;

  // Of those that wait.
  std::multiset<int> cores_;
  std::multiset<double> ahead_;
  std::multiset<std::int64_t> at_once_;
  std::set<StageId> not_looked_at_;
  std::set<std::pair<Instant, StageId>> look_again_;
};

} // namespace stoker
