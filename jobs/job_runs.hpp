#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "embedding/job_session.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

/// Hands what happens in a session to the threads that wait for their jobs. May be used
/// by any thread.
class JobRuns {
public:
  /// A job that runs, as its thread sees it.
  struct Run {
    std::vector<TaskAttempt> results;
    std::optional<JobEnded> end;
  };

  /// Ends a job's run here when it goes.
  class Open {
  public:
    Open(JobRuns& runs, JobId job) : runs_(&runs), job_(job) {
    }
    Open(Open&& other) noexcept
        : runs_(std::exchange(other.runs_, nullptr)), job_(other.job_) {
    }
    Open& operator=(Open&&) = delete;
    ~Open() {
      if (runs_ != nullptr)
        runs_->end(job_);
    }

  private:
    JobRuns* runs_;
    JobId job_;
  };

  /// Before the job is submitted. Fails if this is closed.
  Result<Open> begin(JobId job);

  /// Waits for the next results of the job, or for its end; an error: there is no more to
  /// wait for.
  Result<Run> wait(JobId job);

  /// From the session.
  void note(const JobNews& x);

  /// Nobody waits any longer, from now on.
  void close(Error why);

  [[nodiscard]] std::optional<Error> closed() const;

  /// Waits until no run is open.
  void await_ends();

private:
  void end(JobId job);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<JobId, Run> runs_;
  std::optional<Error> closed_;
};

} // namespace stoker::jobs
