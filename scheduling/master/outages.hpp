#pragma once

// When most workers, or most applications, fall silent at once, the network is
// at fault rather than each of them: they are waited for longer.

#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

class Step;

/// What is known of outages.
struct Outages {
  /// Until when those that fall silent are lost without another look at all
  /// others, which were there.
  Instant most_workers_there;
  Instant most_applications_there;
};

/// The time of a worker has run out. Returns whether it is waited for longer,
/// `ClusterConfig::outage_timeout`, once each time that it falls silent.
bool wait_out_outage(Step& step, WorkerKey key);

/// The same for an application whose connection broke.
bool wait_out_outage(Step& step, AppKey key);

} // namespace stoker
