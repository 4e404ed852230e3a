#pragma once

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/allocation/load_of_jobs.hpp"

namespace stoker::simulation {

/// What an allocation manager hears of a job scheduler's steps has to come to what there
/// is: attempts that wait or run, second ones among them, and executors. Once, it begins
/// to hear in between.
class LoadWatch {
public:
  LoadWatch();

  /// @param state After the step.
  void stepped(Instant now, const JobsEvent& what, const JobsEffects& effects,
               const JobsState& state);

private:
  struct Follower {
    LoadOfJobs load;
    AllocationManager manager;
  };

  static void hear(Follower& follower, Instant now,
                   const AllocationEvents& events);
  static void compare(const Follower& follower, const JobsState& state);

  Follower first_;
  std::optional<Follower> later_;
  int steps_ = 0;
};

} // namespace stoker::simulation
