#pragma once

#include <optional>

#include "messages/instant.hpp"
#include "pages/page.hpp"
#include "web/cluster_copy.hpp"
#include "web/event_log.hpp"
#include "web/page_address.hpp"
#include "web/page_answers.hpp"
#include "web/share_history.hpp"

namespace stoker {

/// What pages show besides answers of the master.
struct PageSources {
  const ClusterCopy& cluster;
  const EventLog& events;
  const ShareHistory& shares;

  /// The master serves the pages of programs below /proxy/.
  bool has_proxy = false;
};

/// What a page shows now. Nothing: what it is of is not known, or not any more.
/// @param now the epoch: the reader's clock fills in how long something takes
/// @pre there is an observation, and the master leads
std::optional<pages::Page> page_content(const PageAddress& address,
                                        const PageSources& sources,
                                        const PageAnswers& answers,
                                        Instant now);

} // namespace stoker
