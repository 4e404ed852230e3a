#pragma once

#include <optional>
#include <string>

#include "scheduling/jobs/job_history.hpp"

namespace stoker {

/// When a driver says what its jobs do: after something has changed, at most once in
/// `report_interval`.
class JobReporter {
public:
  static constexpr Duration report_interval = std::chrono::seconds{1};

  /// To be called for each step of the JobScheduler: before it, and for each effect in
  /// order.
  void before(Instant now, const JobsEvent& x) {
    history_.before(now, x);
  }
  void hear(Instant now, const JobsEffect& x) {
    history_.hear(now, x);
  }

  struct Next {
    /// What is to be said now, if anything is.
    std::optional<ReportJobs> report;

    /// Make a step at that time, even if nothing happens.
    std::optional<Instant> again;
  };

  /// After the step.
  [[nodiscard]] Next after(Instant now, const JobsState& state);

  /// The last that is to be said; nothing if that was said already.
  [[nodiscard]] std::optional<ReportJobs>
  stop(Instant now, const JobsState& state, const std::string& why);

private:
  std::optional<ReportJobs> look(Instant now, const JobsState& state);

  JobHistory history_;
  ReportJobs last_;

  /// When it was looked last what has changed, and when it will be next.
  std::optional<Instant> looked_;
  std::optional<Instant> again_;
};

} // namespace stoker
