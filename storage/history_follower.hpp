#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "messages/history.hpp"
#include "messages/jobs_report.hpp"
#include "scheduling/tenants/company_of_user.hpp"
#include "storage/change_feed.hpp"

namespace stoker {

/// One counted as ended, and runs: its worker has come back with it.
struct ForgetEntry {
  std::string id;
};

/// What becomes of a history. An entry takes the place of the one with the same id.
using HistoryChange = std::variant<HistoryEntry, ForgetEntry>;

/// Reads out of what a leader commits, and of what drivers say of their jobs, what has
/// ended. Pure.
///
/// An entry can come more than once: when more is known of an end, and when another
/// leader begins, of all that is stored.
class HistoryFollower {
public:
  /// What is new after `position`.
  std::vector<HistoryChange> follow(const FeedUpdate& update);

  /// Stages of an application that have ended since it was last told of.
  std::vector<HistoryChange> note(const ReportJobs& x);

  /// Where to read on in the feed.
  [[nodiscard]] const FeedPosition& position() const noexcept {
    return position_;
  }

  /// What those that run, or are about to, hold since when, added up by month, company
  /// and user.
  [[nodiscard]] std::vector<MonthlyUse> present_use(Instant now) const;

private:
  struct Holder {
    std::string user;
    int cores = 0;
    std::int64_t memory_mb = 0;
    Instant since;
  };
  struct Known {
    std::string name;
    std::string user;
    Instant submitted;

    /// Stages that are told of, and when they ended.
    std::map<StageId, std::int64_t> stages;
  };

  /// Says what a change means.
  class Reader;

  FeedPosition position_;
  CompanyOfUser companies_;
  std::map<AppId, Known> applications_;
  std::map<ExecutorId, Holder> executors_;
  std::map<DriverId, Holder> drivers_;

  /// Instances that were lost: they may come back.
  std::set<ExecutorId> lost_;
};

} // namespace stoker
