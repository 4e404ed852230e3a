#pragma once

#include <optional>

#include "messages/instant.hpp"
#include "pages/page.hpp"
#include "web/cluster_copy.hpp"
#include "web/page_address.hpp"
#include "web/page_answers.hpp"

namespace stoker {

/// What a page needs to know of the master.
struct PageQuestions {
  std::optional<RequestExplanation> explanation;
  std::optional<RequestQueues> queues;
  std::optional<RequestJobs> jobs;
};
PageQuestions questions_of(const PageAddress& address);

/// What a page shows now. Nothing: what it is of is not known, or not any more.
/// @param now the epoch: the reader's clock fills in how long something takes
/// @pre there is an observation, and the master leads
std::optional<pages::Page> page_content(const PageAddress& address,
                                        const ClusterCopy& cluster,
                                        const PageAnswers& answers,
                                        Instant now);

} // namespace stoker
