#pragma once

#include <optional>

#include "messages/history.hpp"
#include "messages/jobs_report.hpp"
#include "messages/planning.hpp"
#include "messages/queues.hpp"

namespace stoker {

/// What a page shows besides the copy of the cluster, as the master has answered.
struct PageAnswers {
  std::optional<ExplanationResponse> explanation;
  std::optional<QueuesResponse> queues;
  std::optional<JobsResponse> jobs;
  std::optional<HistoryResponse> history;
  std::optional<UseResponse> use;
  std::optional<PlanResponse> plan;
};

} // namespace stoker
