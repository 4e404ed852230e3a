#include "scheduling/master/job_reports.hpp"

#include "scheduling/master/size_limits.hpp"

namespace stoker {

Status JobReports::take(Instant now, const ClusterState& state,
                        const ReportJobs& x) {
  if (auto fits = check_sizes(x); !fits)
    return fits;
  // So there are never more than there are applications, and one.
  if (!all_.contains(x.app_id))
    std::erase_if(all_, [&](const auto& known) {
      const auto& applications = state.applications;
      return !applications.find(known.first)
             && applications.find_ended(known.first) == nullptr;
    });
  all_[x.app_id] = {now, x};
  return {};
}

const JobReports::Known* JobReports::find(const AppId& id) const {
  auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

} // namespace stoker
