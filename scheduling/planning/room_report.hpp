#pragma once

#include <string>
#include <vector>

#include "messages/planning.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// What a program needs of one worker.
struct Needs {
  ExecutorSize size;
  Requirements others;

  /// "an executor of it", "it"
  std::string whose;
};

/// "2 cores, 4 GB, 1 gpu and Spark 3.5"
[[nodiscard]] std::string format_needs(const Needs& x);

/// Says what is needed besides cores and memory.
void name_needs(ExplanationResponse& result, const Requirements& needs);

/// Says in an explanation why it waits, and for what.
void block(ExplanationResponse& result, Blocker blocker, std::string reason,
           std::string remedy);

/// Says that others have to end first. @param waits_for Not empty.
void block_for_others(ExplanationResponse& result,
                      const std::vector<Dependency>& waits_for);

/// Counts what there is on workers that run such programs, and where there would be
/// room. Looks at all workers.
void count_room(ExplanationResponse& result, const ClusterState& state,
                const Needs& needs);

/// Says what is missing. @pre `count_room`
void find_blocker(ExplanationResponse& result, const ClusterState& state,
                  const Needs& needs);

/// The same of one whose driver has not told the version of its Spark.
void find_version_blocker(ExplanationResponse& result,
                          const ClusterState& state, const Application& app,
                          const Needs& needs);

/// The same of an application that needs several executors at once.
/// @pre `count_room`, and it waits for these
void find_gang_blocker(ExplanationResponse& result, const ClusterState& state,
                       Instant now, const Application& app, const Needs& needs);

/// Says for which gang room is kept, if it is for another one.
void note_kept_room(ExplanationResponse& result, const ClusterState& state,
                    Instant now, const Application& app);

} // namespace stoker
