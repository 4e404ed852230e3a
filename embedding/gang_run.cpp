#include "embedding/gang_run.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "embedding/last_words.hpp"
#include "scheduling/application/known_executors.hpp"

namespace stoker {

namespace {

/// How often the observer is called at least.
constexpr std::chrono::milliseconds look_pause{200};

class GangWork : public JobWork {
public:
  explicit GangWork(const ApplicationDescription& x) : job_(gang_job(x)) {
    const auto& stage = job_.stages.front();
    description_.stage = stage.id;
    description_.name = stage.name;
    description_.command = x.command;
    description_.cores = stage.cores;
    description_.output = TaskOutputKind::executor;
    description_.tasks = stage.tasks;
    description_.is_barrier = true;
  }

  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }
  [[nodiscard]] DescribeStage describe(StageId) const override {
    return description_;
  }
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override {
    return {task, {}, {}};
  }

private:
  JobSpec job_;
  DescribeStage description_;
};

} // namespace

JobSpec gang_job(const ApplicationDescription& x) {
  const auto& instances = x.instances.value();
  StageSpec stage;
  stage.id = StageId{0};
  stage.name = x.name;
  stage.tasks = instances.count;
  stage.cores = x.cores_per_executor.value();
  stage.max_failures = instances.max_failures + 1;
  // As instances are judged that start one by one.
  stage.kills_count = false;
  stage.is_result = true;
  stage.is_barrier = true;
  JobSpec result;
  result.id = JobId{0};
  result.name = x.name;
  result.stages.push_back(std::move(stage));
  return result;
}

class GangRun::Impl {
public:
  Impl(std::unique_ptr<JobSession> session, std::shared_ptr<const JobWork> work,
       RunObserver& observer)
      : session_(std::move(session)), work_(std::move(work)),
        observer_(observer) {
  }

  RunOutcome wait(const std::atomic<bool>& interrupted) {
    session_->submit(work_);
    while (!interrupted && !failure_ && !over()) {
      auto news = session_->take(look_pause);
      if (last_words_.are_over(LastWords::Clock::now())
          && !std::exchange(has_given_up_, true))
        session_->outputs().give_up("it had not ended when the run did");
      ends_ = std::any_of(news.begin(), news.end(), [](const auto& x) {
        return std::holds_alternative<JobEnded>(x);
      });
      for (const auto& x : news)
        if (!interrupted)
          std::visit([this](const auto& y) { this->note(y); }, x);
      observer_.progress(counts());
    }
    auto result = outcome(interrupted && !over());
    result.output_incomplete
        = result.output_incomplete || !session_->outputs().all_brought();
    if (result.reason == EndReason::stopped)
      session_->interrupt();
    else if (!result.error.empty())
      session_->fail(result.error);
    session_.reset();
    return result;
  }

  void fail(const std::string& why) {
    if (!failure_)
      failure_ = why;
  }

private:
  [[nodiscard]] bool over() const {
    return (end_ || dead_) && session_->outputs().all_brought();
  }

  void note(const ApplicationNews& x) {
    if (std::visit([this](const auto& y) { return this->is_news(y); }, x))
      observer_.news(x);
  }
  void note(const OutputNews& x) {
    auto index = indices_.find(x.exec_id);
    // Before its first instance, an executor speaks for itself.
    session_->outputs().deliver(
        x, index == indices_.end() ? x.exec_id : index->second, observer_);
    last_words_.heard(LastWords::Clock::now());
  }
  void note(const BarrierAttemptBegun& x) {
    auto index = 0;
    for (auto exec_id : x.exec_ids)
      indices_[exec_id] = index++;
    observer_.attempt_begun(x);
  }
  void note(const AttemptFailed& x) {
    observer_.attempt_failed(x, !ends_);
  }
  void note(const JobEnded& x) {
    end_ = x;
    // What they have written is complete when they have ended.
    session_->end_executors();
  }
  template <class Other>
  void note(const Other&) {
  }

  bool is_news(const ApplicationConnected& x) {
    session_->outputs().is_application(x.id);
    return true;
  }
  bool is_news(const ApplicationDead& x) {
    dead_ = x;
    session_->outputs().application_is_over();
    last_words_.begin(LastWords::Clock::now());
    return true;
  }
  bool is_news(const ExecutorAdded& x) {
    if (!executors_.added(x))
      return false;
    session_->outputs().added(x);
    return true;
  }
  bool is_news(const ExecutorUpdated& x) {
    auto was_lost = executors_.is_lost(x.id);
    if (!executors_.updated(x))
      return false;
    session_->outputs().updated(x, was_lost);
    return true;
  }
  template <class Other>
  bool is_news(const Other&) {
    return true;
  }

  [[nodiscard]] RunCounts counts() const {
    RunCounts result;
    const auto& stage = work_->job().stages.front();
    result.count = stage.tasks;
    if (auto all = session_->progress(); all.contains(stage.id)) {
      result.done = all[stage.id].done;
      result.running = all[stage.id].running;
    }
    result.over = end_ || dead_;
    result.failed = dead_ || (end_ && end_->outcome != JobOutcome::succeeded);
    return result;
  }

  [[nodiscard]] RunOutcome outcome(bool interrupted) const {
    RunOutcome result;
    result.output_incomplete = session_->outputs().incomplete();
    if (end_ && end_->outcome == JobOutcome::succeeded)
      return result;
    result.exit_status = 1;
    if (end_) {
      result.reason = EndReason::removed;
      result.exit_status = end_->exit_status.value_or(1);
      result.error = end_->why;
    } else if (dead_) {
      result.reason = dead_->reason;
      result.error = dead_->message;
    } else if (interrupted) {
      result.reason = EndReason::stopped;
    } else if (failure_) {
      result.reason = EndReason::removed;
      result.error = *failure_;
    }
    return result;
  }

  std::unique_ptr<JobSession> session_;
  std::shared_ptr<const JobWork> work_;
  RunObserver& observer_;

  /// Why its output cannot be taken.
  std::optional<std::string> failure_;
  KnownExecutors executors_;

  /// The instance that each executor runs, or ran.
  std::map<int, int> indices_;
  /// An attempt that fails is the last one: the end comes with the same news.
  bool ends_ = false;
  std::optional<JobEnded> end_;
  std::optional<ApplicationDead> dead_;
  LastWords last_words_;
  bool has_given_up_ = false;
};

GangRun::GangRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
}

GangRun::~GangRun() = default;

Result<std::unique_ptr<GangRun>> GangRun::start(ActorNetwork& network,
                                                ConnectorActor connector,
                                                JobSessionConfig config,
                                                RunObserver& observer) {
  auto& application = config.application;
  auto work = std::make_shared<const GangWork>(application);
  auto count = application.instances.value().count;
  application.instances.reset();
  // They are the executors', in whose directories the instances start.
  auto files = std::move(application.command.files);
  application.command = {};
  application.command.files = std::move(files);
  if (!config.allocation) {
    application.initial_executor_limit = count;
    application.gang = count;
  }
  config.brings_output = true;
  auto session
      = JobSession::start(network, std::move(connector), std::move(config));
  if (!session)
    return std::move(session).error();
  return std::unique_ptr<GangRun>{new GangRun{
      std::make_unique<Impl>(*std::move(session), std::move(work), observer)}};
}

RunOutcome GangRun::wait() {
  return impl_->wait(interrupted_);
}

void GangRun::fail(const std::string& why) {
  impl_->fail(why);
}

} // namespace stoker
