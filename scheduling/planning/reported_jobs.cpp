#include "scheduling/planning/reported_jobs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace stoker {

namespace {

constexpr const char* driver_is_away
    = "its driver is not connected: this is what it said last";

bool goes_on(JobStatus x) {
  return x == JobStatus::RUNNING;
}
bool goes_on(StageStatus x) {
  return x == StageStatus::PENDING || x == StageStatus::ACTIVE;
}

/// How it stands once its application has ended.
JobStatus last_status(JobStatus x) {
  return goes_on(x) ? JobStatus::UNKNOWN : x;
}
StageStatus last_status(StageStatus x) {
  switch (x) {
  case StageStatus::PENDING:
    return StageStatus::SKIPPED;
  case StageStatus::ACTIVE:
    return StageStatus::FAILED;
  default:
    return x;
  }
}

void forget_waiting(JobInfo&) {
}
void say_that_it_is_old(JobInfo& x) {
  x.message = driver_is_away;
}
void say_that_it_is_old(StageInfo& x) {
  x.waits = driver_is_away;
}

void forget_waiting(StageInfo& x) {
  x.waits.clear();
}

/// One answer under way.
class ReportedJobs {
public:
  ReportedJobs(const ClusterState& state, const RequestJobs& request)
      : state_(state), request_(request), room_(request.rows_max) {
  }

  JobsResponse run(const JobReports& reports) {
    if (request_.app_id) {
      if (const auto* known = reports.find(*request_.app_id))
        add_application(*request_.app_id, *known);
    } else {
      for (const auto& [id, known] : reports.all())
        add_application(id, known);
    }
    for (std::size_t i = 0; i < sources_.size(); ++i)
      add_rows(i, true);
    for (auto i = sources_.size(); i > 0 && !request_.only_active; --i)
      add_rows(i - 1, false);
    return std::move(result_);
  }

private:
  struct Source {
    const ReportJobs* report = nullptr;

    /// When its application ended, if it has.
    std::optional<std::int64_t> ended_ms;

    /// Its driver is away: what it has said may not be so any more.
    bool is_old = false;
  };

  void add_application(const AppId& id, const JobReports::Known& known) {
    ApplicationJobs app;
    app.app_id = id;
    Source source{&known.report, {}};
    if (auto key = state_.applications.find(id)) {
      source.is_old = state_.applications.at(*key).reconnect_due.has_value();
      const auto& stored = state_.applications.at(*key).stored;
      app.name = stored.description.name;
      app.user = stored.description.user;
      app.state = stored.state;
    } else if (const auto* ended = state_.applications.find_ended(id)) {
      app.name = ended->info.name;
      app.user = ended->info.user;
      app.state = ended->info.state;
      source.ended_ms = ended->info.ended_ms.value_or(to_ms(known.since));
    } else {
      return;
    }
    if (request_.user && app.user != *request_.user)
      return;
    app.reported_ms = to_ms(known.since);
    app.executors = source.ended_ms ? 0 : known.report.executors;
    app.cores = source.ended_ms ? 0 : known.report.cores;
    app.jobs_left_out = known.report.jobs_left_out;
    app.stages_left_out = known.report.stages_left_out;
    sources_.push_back(source);
    result_.applications.push_back(std::move(app));
  }

  /// Adds those that go on, or the others, as far as they are wanted.
  void add_rows(std::size_t index, bool active) {
    auto& app = result_.applications[index];
    const auto& source = sources_[index];
    if (request_.jobs)
      add_rows(app.jobs, source.report->jobs, source, active);
    if (request_.stages)
      add_rows(app.stages, source.report->stages, source, active);
  }

  template <class Info>
  void add_rows(std::vector<Info>& to, const std::vector<Info>& from,
                const Source& source, bool active) {
    for (const auto& x : from) {
      auto status = source.ended_ms ? last_status(x.status) : x.status;
      if (goes_on(status) != active
          || (request_.state && to_string(status) != *request_.state))
        continue;
      if (room_ <= 0) {
        ++result_.left_out;
        continue;
      }
      --room_;
      auto& row = to.emplace_back(x);
      if (source.is_old && active)
        say_that_it_is_old(row);
      if (!source.ended_ms)
        continue;
      if (goes_on(std::exchange(row.status, status)))
        row.ended_ms = source.ended_ms;
      row.running = 0;
      forget_waiting(row);
    }
  }

  const ClusterState& state_;
  const RequestJobs& request_;
  int room_;
  JobsResponse result_;

  /// Of each application of the result.
  std::vector<Source> sources_;
};

} // namespace

JobsResponse reported_jobs(const ClusterState& state, const JobReports& reports,
                           const RequestJobs& request) {
  return ReportedJobs{state, request}.run(reports);
}

} // namespace stoker
