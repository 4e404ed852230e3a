#include "jobs/job_runs.hpp"

#include <utility>

namespace stoker::jobs {

Result<JobRuns::Open> JobRuns::begin(JobId job) {
  std::lock_guard guard{mutex_};
  if (closed_)
    return *closed_;
  runs_.try_emplace(job);
  return Open{*this, job};
}

Result<JobRuns::Run> JobRuns::wait(JobId job) {
  std::unique_lock lock{mutex_};
  auto& run = runs_.at(job);
  changed_.wait(lock,
                [&] { return closed_ || run.end || !run.results.empty(); });
  if (closed_)
    return *closed_;
  return std::exchange(run, {});
}

void JobRuns::end(JobId job) {
  {
    std::lock_guard guard{mutex_};
    runs_.erase(job);
  }
  changed_.notify_all();
}

void JobRuns::note(const JobNews& x) {
  if (const auto* arrived = std::get_if<ResultArrived>(&x)) {
    std::lock_guard guard{mutex_};
    if (auto run = runs_.find(arrived->job); run != runs_.end())
      run->second.results.push_back(arrived->id);
  } else if (const auto* ended = std::get_if<JobEnded>(&x)) {
    std::lock_guard guard{mutex_};
    if (auto run = runs_.find(ended->job); run != runs_.end())
      run->second.end = *ended;
  } else if (const auto* news = std::get_if<ApplicationNews>(&x)) {
    if (const auto* dead = std::get_if<ApplicationDead>(news))
      close({dead->reason == EndReason::master_lost ? Errc::not_alive
                                                    : Errc::failed,
             dead->message});
    return;
  } else {
    return;
  }
  changed_.notify_all();
}

void JobRuns::close(Error why) {
  {
    std::lock_guard guard{mutex_};
    if (!closed_)
      closed_ = std::move(why);
  }
  changed_.notify_all();
}

std::optional<Error> JobRuns::closed() const {
  std::lock_guard guard{mutex_};
  return closed_;
}

void JobRuns::await_ends() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return runs_.empty(); });
}

} // namespace stoker::jobs
