#pragma once

// What happened, for an operator's log: one line for each event, with names that
// stay and fields that tools can read, as
//     executor-ended  app=app-1 executor=0 worker=w1 end=EXITED code=0

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// All of them.
inline constexpr std::array event_names{"worker-registered",
                                        "worker-leaves",
                                        "worker-left",
                                        "worker-lost",
                                        "application-registered",
                                        "application-ended",
                                        "executor-started",
                                        "executor-ended",
                                        "driver-submitted",
                                        "driver-restarts",
                                        "driver-ended"};

struct EventLine {
  /// One of `event_names` (docs/reference.md, "Log lines").
  const char* event = nullptr;

  /// NAME=VALUE, with spaces between; values with spaces are in quotes.
  std::string fields;

  /// Something is not as it should be.
  bool is_warning = false;
};

/// The events of one leadership, from what it commits.
class EventLines {
public:
  /// @param stored With what the leadership began: no news.
  explicit EventLines(const StoredState& stored);

  [[nodiscard]] std::vector<EventLine> of(const Changes& changes);

private:
  friend struct EventOf;

  // Who is there, as far as that was told.

  std::set<WorkerId> workers_;
  std::set<WorkerId> leaving_;
  std::set<AppId> applications_;
  std::set<ExecutorId> executors_;

  /// With how often each was started again.
  std::map<DriverId, int> drivers_;
};

} // namespace stoker
