#include "jobs/session_runner.hpp"

#include <csignal>
#include <map>
#include <utility>

#include "embedding/gang_limits.hpp"
#include "jobs/output_directories.hpp"
#include "jobs/pool_of_thread.hpp"

namespace stoker::jobs {

namespace {

constexpr std::chrono::milliseconds news_awaited_for{50};

/// The results of a job's one result stage, in order of its tasks.
class ResultsInOrder {
public:
  ResultsInOrder(JobSession& session, const Action& action,
                 const Runner::TakeResult& take)
      : session_(session), is_file_(action.output == TaskOutputKind::file),
        take_(take) {
  }

  /// What was not taken.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where memory is of no use
  ~ResultsInOrder() {
    for (const auto& [task, id] : arrived_)
      static_cast<void>(
          session_.take_result(id, [](std::string_view) -> Status {
            return Error{Errc::failed, "it is not wanted"};
          }));
  }

  ResultsInOrder(const ResultsInOrder&) = delete;
  ResultsInOrder& operator=(const ResultsInOrder&) = delete;

  void keep(const TaskAttempt& id) {
    // Those of files are in the directory.
    if (!is_file_)
      arrived_.emplace(id.task, id);
  }

  /// Hands on whose turn it is.
  Status take() {
    for (auto next = arrived_.find(task_); next != arrived_.end();
         next = arrived_.find(++task_)) {
      auto result = next->second;
      arrived_.erase(next);
      auto task = static_cast<std::size_t>(task_);
      auto taken = session_.take_result(
          result, [&](std::string_view bytes) { return take_(task, bytes); });
      if (!taken)
        return taken;
    }
    return {};
  }

private:
  JobSession& session_;
  const bool is_file_;
  const Runner::TakeResult& take_;
  std::int32_t task_ = 0;
  std::map<std::int32_t, TaskAttempt> arrived_;
};

Error error_of(const JobEnded& x) {
  auto why = x.why.empty() ? std::string{"the job was cancelled"} : x.why;
  return {Errc::failed, std::move(why)};
}

} // namespace

SessionRunner::SessionRunner(std::unique_ptr<JobSession> session,
                             RunnerSettings settings,
                             std::unique_ptr<StopSignal> stop)
    : settings_(std::move(settings)), stop_(std::move(stop)),
      session_(std::move(session)),
      thread_([this](const std::stop_token& x) { follow(x); }) {
}

SessionRunner::~SessionRunner() {
  close();
}

std::unique_ptr<StageLease> SessionRunner::lease_stage() {
  return std::make_unique<StageLease>(
      next_stage(), [runner = weak_from_this()](StageId stage) {
        if (auto x = runner.lock())
          x->release(stage);
      });
}

void SessionRunner::release(StageId stage) {
  std::lock_guard guard{mutex_};
  released_.push_back(stage);
}

std::shared_ptr<JobSession> SessionRunner::session() const {
  std::lock_guard guard{mutex_};
  return session_;
}

Status SessionRunner::run(const Node& target, const Action& action,
                          const TakeResult& take) {
  JobId id{next_job_.fetch_add(1)};
  // The session stays until this run has ended.
  auto begun = runs_.begin(id);
  if (!begun)
    return std::move(begun).error();
  auto here = session();
  auto settings = settings_.plan;
  if (const auto* pool = PoolOfThread::name())
    settings.pool = *pool;
  auto planned = plan_job(target, action, id, next_stage(), settings);
  if (!planned)
    return std::move(planned).error();
  const auto& job = *planned;
  if (auto valid = may_run(settings_.settings.jobs, job->job()); !valid)
    return valid;
  if (auto fits = stoker::may_begin_together(job->job(), settings_.settings);
      !fits)
    return fits;
  OutputDirectories directories{*job};
  if (auto created = directories.create(); !created)
    return created;
  here->submit(job);
  if (auto status = run_planned(*here, *job, action, take); !status)
    return status;
  return directories.complete();
}

Status SessionRunner::run_planned(JobSession& session, const PlannedJob& job,
                                  const Action& action,
                                  const TakeResult& take) {
  auto id = job.job().id;
  ResultsInOrder results{session, action, take};
  Status taken;
  for (;;) {
    auto run = runs_.wait(id);
    if (!run) {
      session.cancel(id, run.error().message);
      return std::move(run).error();
    }
    for (const auto& x : run->results)
      results.keep(x);
    if (taken) {
      taken = results.take();
      if (!taken)
        session.cancel(id, taken.error().message);
    }
    if (!run->end)
      continue;
    release(job.job().stages.back().id);
    if (!taken)
      return taken;
    if (run->end->outcome != JobOutcome::succeeded)
      return error_of(*run->end);
    return {};
  }
}

void SessionRunner::follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto here = session();
    for (const auto& x : here->take(news_awaited_for)) {
      if (settings_.on_news)
        settings_.on_news(x);
      runs_.note(x);
    }
    release_stages(*here);
    look_at_signals();
  }
}

void SessionRunner::release_stages(JobSession& session) {
  std::vector<StageId> stages;
  {
    std::lock_guard guard{mutex_};
    stages = std::exchange(released_, {});
  }
  // Of what was closed jobs may not have ended that have them.
  if (!stages.empty() && !runs_.closed())
    session.release(stages);
}

void SessionRunner::look_at_signals() {
  if (!stop_)
    return;
  auto signal = stop_->wait_for(std::chrono::milliseconds{0});
  if (!signal)
    return;
  if (interrupted_) {
    // The program has had its chance.
    std::signal(*signal, SIG_DFL);
    StopSignal::release();
    std::raise(*signal);
  }
  interrupted_ = true;
  interrupt("interrupted");
}

void SessionRunner::interrupt(const std::string& why) {
  if (auto x = session())
    x->interrupt();
  runs_.close({Errc::failed, why});
}

void SessionRunner::close() {
  runs_.close({Errc::not_alive, "the context has ended"});
  runs_.await_ends();
  thread_.request_stop();
  if (thread_.joinable())
    thread_.join();
  std::shared_ptr<JobSession> last;
  std::lock_guard guard{mutex_};
  last = std::move(session_);
}

int SessionRunner::executors() const {
  auto x = session();
  return x ? x->executors() : 0;
}

} // namespace stoker::jobs
