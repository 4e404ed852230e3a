#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "embedding/job_session.hpp"
#include "embedding/result_store.hpp"
#include "outputs/output_client.hpp"

namespace stoker {

/// What surrounds the TASK SCHEDULER of a JobSession: keeps results and news for the
/// thread that waits for them, and fetches large results on a thread of its own.
class SessionHost : public JobsHost {
public:
  SessionHost(const ApplicationSecret& secret, std::string scratch_directory);
  ~SessionHost() override;

  // -- for the session; any thread --------------------------------------------

  void add(const std::shared_ptr<const JobWork>& work);

  /// Their progress is not asked for any more.
  void forget(const std::vector<StageId>& stages);

  /// The application has an id: results can be fetched.
  void use(const AppId& app);

  /// Nothing: it has none yet.
  [[nodiscard]] std::optional<AppId> application() const;

  /// Who takes what the master is to know, and who asks it to end an executor; called on
  /// the task scheduler's thread.
  void report_to(std::function<void(ReportJobs)> sink);
  void kill_with(std::function<void(const KillExecutors&)> sink);
  void put(JobNews news);
  std::vector<JobNews> take(std::chrono::milliseconds patience);
  [[nodiscard]] std::map<StageId, StageProgress> progress() const;
  [[nodiscard]] int executors() const;
  ResultStore& results() noexcept {
    return results_;
  }

  // -- for the task scheduler -------------------------------------------------

  DescribeStage describe(StageId stage) override;
  LaunchTask describe(const TaskAttempt& task) override;
  void fetch(const FetchResult& x,
             std::function<void(std::string error)> done) override;
  Status accept(const AcceptResult& x) override;
  void hear(const JobsEffect& x) override;
  void stepped(const JobsState& state) override;
  void report(ReportJobs x) override;

private:
  struct Wanted {
    FetchResult result;
    std::function<void(std::string error)> done;
  };

  /// What is known of a stage.
  struct StageWork {
    std::shared_ptr<const JobWork> work;

    /// Of one that writes files.
    std::optional<std::string> directory;
  };

  void work(const std::stop_token& stop);
  std::string fetch_now(const FetchResult& x, const std::stop_token& stop);
  [[nodiscard]] StageWork work_of(StageId stage) const;
  void kill(int exec_id) const;

  const ApplicationSecret secret_;
  ResultStore results_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<AppId> application_;
  std::optional<OutputClient> client_;
  std::function<void(ReportJobs)> report_to_;
  std::function<void(const KillExecutors&)> kill_with_;
  std::map<StageId, StageWork> works_;
  std::vector<JobNews> news_;
  std::deque<Wanted> wanted_;

  /// Results that were fetched and found no room here: to fetch them again would not
  /// help.
  std::map<TaskAttempt, Error> not_kept_;
  std::map<StageId, StageProgress> progress_;
  int executors_ = 0;

  /// Of the present step, for all of which others are woken once. Only the TASK
  /// SCHEDULER uses it.
  std::vector<JobNews> news_of_step_;

  // Last: it uses the others.
  std::jthread thread_;
};

} // namespace stoker
