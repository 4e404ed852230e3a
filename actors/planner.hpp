#pragma once

#include <memory>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "messages/planning.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/planning/rehearsal.hpp"

namespace stoker {

/// A copy of a cluster, which whoever gets it uses up.
using ClusterCopy = std::shared_ptr<Cluster>;

struct PlanOnCopy {
  ClusterCopy cluster;
  Instant now;
  RequestPlan request;

  /// Asked on the planner's thread.
  IsToStop is_to_stop;
};

/// Answered with the explanation and an estimate.
struct EstimateOnCopy {
  ClusterCopy cluster;
  Instant now;
  ExplanationResponse explanation;
  IsToStop is_to_stop;
};

/// The PLANNER tries on a copy of a cluster what would happen, so that the master
/// does not wait for it. It answers one question.
using PlannerActor = caf::typed_actor<
    caf::replies_to<PlanOnCopy>::with<PlanResponse>,
    caf::replies_to<EstimateOnCopy>::with<ExplanationResponse>>;

PlannerActor::behavior_type planner(PlannerActor::pointer self);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::PlanOnCopy)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::EstimateOnCopy)
