#pragma once

#include <map>

#include "messages/jobs_report.hpp"
#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"

namespace stoker {

/// What drivers have said last of their jobs. Nothing depends on it: it is part of
/// neither the ClusterState nor what is stored, and no step looks at it.
///
/// Invariant: no report is larger than `check_sizes` takes.
class JobReports {
public:
  struct Known {
    Instant since;
    ReportJobs report;
  };

  /// Replaces what was said before.
  /// @pre the application is in `state`
  /// @return Errc::invalid_request: it is too large
  Status take(Instant now, const ClusterState& state, const ReportJobs& x);

  /// Null: its driver has said nothing.
  [[nodiscard]] const Known* find(const AppId& id) const;

  /// Some may be of applications that are forgotten.
  [[nodiscard]] const std::map<AppId, Known>& all() const noexcept {
    return all_;
  }

  /// A new leader is told anew.
  void clear() {
    all_.clear();
  }

private:
  std::map<AppId, Known> all_;
};

} // namespace stoker
