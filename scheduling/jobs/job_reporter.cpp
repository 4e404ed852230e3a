#include "scheduling/jobs/job_reporter.hpp"

namespace stoker {

JobReporter::Next JobReporter::after(Instant now, const JobsState& state) {
  history_.after(state);
  Next result;
  if (!looked_ || now >= *looked_ + report_interval) {
    again_.reset();
    result.report = look(now, state);
  } else if (!again_) {
    result.again = again_ = *looked_ + report_interval;
  }
  return result;
}

std::optional<ReportJobs> JobReporter::stop(Instant now, const JobsState& state,
                                            const std::string& why) {
  history_.stop(now, why);
  return look(now, state);
}

std::optional<ReportJobs> JobReporter::look(Instant now,
                                            const JobsState& state) {
  looked_ = now;
  auto report = history_.report(now, state);
  if (report == last_)
    return std::nullopt;
  last_ = report;
  return report;
}

} // namespace stoker
