#include "embedding/session_host.hpp"

#include <iterator>
#include <utility>

#include "executor/part_file.hpp"

namespace stoker {

SessionHost::SessionHost(const ApplicationSecret& secret,
                         std::string scratch_directory)
    : secret_(secret), results_(std::move(scratch_directory)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {
}

SessionHost::~SessionHost() {
  thread_.request_stop();
  changed_.notify_all();
}

// -- for the session ----------------------------------------------------------

void SessionHost::add(const std::shared_ptr<const JobWork>& work) {
  std::map<StageId, StageWork> works;
  for (const auto& stage : work->job().stages) {
    auto& known = works[stage.id];
    known.work = work;
    auto described = work->describe(stage.id);
    if (described.output == TaskOutputKind::file)
      known.directory = std::move(described.directory);
  }
  std::lock_guard guard{mutex_};
  for (auto& [stage, known] : works)
    works_[stage] = std::move(known);
}

void SessionHost::forget(const std::vector<StageId>& stages) {
  std::lock_guard guard{mutex_};
  for (auto id : stages)
    progress_.erase(id);
}

void SessionHost::use(const AppId& app) {
  std::lock_guard guard{mutex_};
  application_ = app;
  client_.emplace(app, secret_);
}

std::optional<AppId> SessionHost::application() const {
  std::lock_guard guard{mutex_};
  return application_;
}

void SessionHost::report_to(std::function<void(ReportJobs)> sink) {
  std::lock_guard guard{mutex_};
  report_to_ = std::move(sink);
}

void SessionHost::kill_with(std::function<void(const KillExecutors&)> sink) {
  std::lock_guard guard{mutex_};
  kill_with_ = std::move(sink);
}

void SessionHost::put(JobNews news) {
  {
    std::lock_guard guard{mutex_};
    news_.push_back(std::move(news));
  }
  changed_.notify_all();
}

std::vector<JobNews> SessionHost::take(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, patience, [this] { return !news_.empty(); });
  return std::exchange(news_, {});
}

std::map<StageId, StageProgress> SessionHost::progress() const {
  std::lock_guard guard{mutex_};
  return progress_;
}

int SessionHost::executors() const {
  std::lock_guard guard{mutex_};
  return executors_;
}

// -- for the task scheduler ---------------------------------------------------

SessionHost::StageWork SessionHost::work_of(StageId stage) const {
  std::lock_guard guard{mutex_};
  return works_.at(stage);
}

DescribeStage SessionHost::describe(StageId stage) {
  return work_of(stage).work->describe(stage);
}

LaunchTask SessionHost::describe(const TaskAttempt& task) {
  return work_of(task.stage).work->describe(task);
}

void SessionHost::fetch(const FetchResult& x,
                        std::function<void(std::string error)> done) {
  {
    std::lock_guard guard{mutex_};
    wanted_.push_back({x, std::move(done)});
  }
  changed_.notify_all();
}

Status SessionHost::accept(const AcceptResult& x) {
  {
    std::lock_guard guard{mutex_};
    if (auto lost = not_kept_.extract(x.id))
      return std::move(lost.mapped());
  }
  if (x.result) {
    if (auto kept = results_.append(x.id, *x.result); !kept)
      return kept;
  } else if (auto directory = work_of(x.id.stage).directory) {
    if (auto committed = executor::commit_part(*directory, x.id.task, x.id);
        !committed)
      return committed;
  }
  news_of_step_.emplace_back(ResultArrived{x.job, x.id});
  return {};
}

void SessionHost::hear(const JobsEffect& x) {
  std::visit(
      [this]<class T>(const T& y) {
        if constexpr (std::is_constructible_v<JobNews, const T&>)
          news_of_step_.emplace_back(y);
        if constexpr (std::is_same_v<T, ExecutorSilent>)
          kill(y.exec_id);
        if constexpr (std::is_same_v<T, DropStages>) {
          std::lock_guard guard{mutex_};
          for (auto stage : y.stages)
            works_.erase(stage);
        } else if constexpr (std::is_same_v<T, AttemptFailed>) {
          std::lock_guard guard{mutex_};
          progress_[y.id.stage].failed += y.failures > 0 ? 1 : 0;
        } else if constexpr (std::is_same_v<T, StageCompleted>) {
          // It may go with its job before it is looked at again.
          std::lock_guard guard{mutex_};
          auto& stage = progress_[y.stage];
          stage.done = stage.tasks;
          stage.running = 0;
          stage.is_active = false;
        }
      },
      x);
}

void SessionHost::kill(int exec_id) const {
  std::lock_guard guard{mutex_};
  // It is said again: there will be an application then.
  if (application_ && kill_with_)
    kill_with_({*application_, {exec_id}});
}

void SessionHost::stepped(const JobsState& state) {
  std::unique_lock guard{mutex_};
  executors_ = state.executors.available();
  for (auto id : state.active) {
    const auto& stage = state.stages.at(id);
    auto& progress = progress_[id];
    progress.tasks = stage.spec.tasks;
    progress.running = running_tasks(state, stage);
    progress.done = stage.tasks->done();
    progress.is_active = true;
  }
  if (news_of_step_.empty())
    return;
  news_.insert(news_.end(), std::make_move_iterator(news_of_step_.begin()),
               std::make_move_iterator(news_of_step_.end()));
  news_of_step_.clear();
  guard.unlock();
  changed_.notify_all();
}

void SessionHost::report(ReportJobs x) {
  std::lock_guard guard{mutex_};
  if (report_to_)
    report_to_(std::move(x));
}

// -- results that are fetched -------------------------------------------------

void SessionHost::work(const std::stop_token& stop) {
  for (;;) {
    Wanted next;
    {
      std::unique_lock lock{mutex_};
      if (!changed_.wait(lock, stop, [this] { return !wanted_.empty(); }))
        return;
      next = std::move(wanted_.front());
      wanted_.pop_front();
    }
    auto error = fetch_now(next.result, stop);
    if (!error.empty())
      results_.drop(next.result.id);
    next.done(std::move(error));
  }
}

std::string SessionHost::fetch_now(const FetchResult& x,
                                   const std::stop_token& stop) {
  std::optional<OutputReader> reader;
  {
    std::lock_guard guard{mutex_};
    if (!client_)
      return "the application has no id yet";
    reader.emplace(client_->read_range({{x.server, x.id}},
                                       {0, PartitionRange::all}, stop));
  }
  for (;;) {
    auto next = reader->next();
    if (std::holds_alternative<EndOfOutputs>(next))
      return {};
    if (const auto* failure = std::get_if<FetchFailure>(&next))
      return failure->text;
    const auto& bytes = std::get<OutputChunk>(next).bytes;
    if (auto kept = results_.append(x.id, {bytes.data(), bytes.size()});
        !kept) {
      results_.drop(x.id);
      std::lock_guard guard{mutex_};
      not_kept_.insert_or_assign(x.id, kept.error());
      return {};
    }
  }
}

} // namespace stoker
