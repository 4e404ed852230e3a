#pragma once

#include <optional>

#include "messages/history.hpp"
#include "messages/instant.hpp"
#include "messages/jobs_report.hpp"
#include "messages/planning.hpp"
#include "messages/queues.hpp"
#include "web/page_address.hpp"

namespace stoker {

/// What a page needs to know of the master.
struct PageQuestions {
  std::optional<RequestExplanation> explanation;
  std::optional<RequestQueues> queues;
  std::optional<RequestJobs> jobs;
  std::optional<RequestHistory> history;
  std::optional<RequestUse> use;
  std::optional<RequestPlan> plan;
};

/// @param now what times like "2h ago" count from
PageQuestions questions_of(const PageAddress& address, Instant now);

} // namespace stoker
