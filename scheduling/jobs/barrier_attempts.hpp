#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/job_ids.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// What is known of a barrier stage besides its tasks: of these all run or are done, or
/// all wait.
struct BarrierAttempts {
  /// How many attempts at the stage have failed, and how many ended with an executor,
  /// since it was complete.
  int failed = 0;
  int lost = 0;

  /// Why the first one of them failed.
  std::string first_failure;

  /// Attempts at tasks that were told to end and have not ended, as far as is known: the
  /// stage does not begin before they have.
  std::set<TaskAttempt> ending;

  /// Where the tasks of the last attempt ran, by task. Empty: there was none.
  std::vector<int> exec_ids;

  /// What a task has written for the job's owner.
  struct Result {
    TaskAttempt id;
    int server = 0;

    /// Nothing: it is a large one, or in a file.
    std::optional<std::string> text;
    bool is_stored = false;
  };

  /// Of a stage with results, by task. They count when all are there.
  std::map<int, Result> results;

  // While it waits for slots, and is active.

  /// Since when; and how many looks in a row have found too few slots in all.
  std::optional<Instant> waits_since;
  int looks_in_vain = 0;
  std::optional<Instant> next_look;

  /// Until when stages that come after it get no slots; or from when on. Neither: it
  /// does not wait, or so many slots are not there.
  std::optional<Instant> holds_until;
  std::optional<Instant> holds_from;
};

} // namespace stoker
