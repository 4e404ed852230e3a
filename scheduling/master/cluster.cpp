#include "scheduling/master/cluster.hpp"

#include <cassert>
#include <limits>
#include <utility>
#include <variant>

#include "scheduling/master/applications.hpp"
#include "scheduling/master/dependencies.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/master/executors.hpp"
#include "scheduling/master/gangs.hpp"
#include "scheduling/master/reservations.hpp"
#include "scheduling/master/schedule.hpp"
#include "scheduling/master/spark_versions.hpp"
#include "scheduling/master/step.hpp"
#include "scheduling/master/takeover.hpp"
#include "scheduling/master/tenant_admission.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

namespace {

/// What a master that does not lead takes notice of. All else is left without an
/// answer, so that whoever asks turns to another master.
bool concerns_standby(const Event& what) {
  return std::holds_alternative<ElectedLeader>(what)
         || std::holds_alternative<RegisterWorker>(what)
         || std::holds_alternative<Heartbeat>(what)
         || std::holds_alternative<RegisterApplication>(what)
         || std::holds_alternative<ApplicationHeartbeat>(what);
}

void handle(Step& step, const CheckForWorkerTimeOut&) {
  while (auto due = step.state.deadlines.take_due(step.now()))
    switch (due->kind) {
    case Due::worker:
      check_worker(step, WorkerKey{due->number});
      break;
    case Due::application:
      check_application(step, AppKey{due->number});
      break;
    case Due::driver:
      check_driver(step, DriverKey{due->number});
      break;
    case Due::gang:
      check_gang(step, AppKey{due->number});
      break;
    case Due::recovery:
      // Looked at after each step.
      break;
    }
}

void handle(Step& step, const MasterStalled& x) {
  Duration by{x.for_ms};
  postpone_workers(step, by);
  postpone_applications(step, by);
  postpone_reservations(step, by);
  postpone_gangs(step, by);
  postpone_recovery(step, by);
  handle(step, CheckForWorkerTimeOut{});
}

void handle(Step& step, const EndpointLost& x) {
  const auto& state = step.state;
  if (auto worker = state.workers.find_by_endpoint(x.endpoint))
    disconnect(step, *worker);
  else if (auto app = state.applications.find_by_driver(x.endpoint))
    disconnect(step, *app);
}

} // namespace

ClusterState::ClusterState(ClusterConfig settings)
    : config(std::move(settings)), random(config.seed),
      capacity(config.worker_selection), admission(config.tenants) {
  assert(validate(config));
  if (const auto& tenants = config.tenants)
    capacity.keep_census(
        {tenants->min_executor_cores, tenants->min_executor_memory_mb});
}

void handle_event(Step& step, const Event& what) {
  std::visit([&](const auto& x) { handle(step, x); }, what);
}

Cluster::Cluster(ClusterConfig config) : state_(std::move(config)) {
}

void Cluster::keep_what_ends() {
  constexpr auto all = std::numeric_limits<int>::max();
  state_.config.retained_applications = all;
  state_.config.retained_drivers = all;
}

void Cluster::limit_starts(int count) {
  state_.starts_left = count;
}

StepResult Cluster::step(Instant now, const Event& what) {
  assert(now >= state_.now);
  state_.now = now;
  Step step{state_};
  if (status() != RecoveryState::STANDBY || concerns_standby(what))
    handle_event(step, what);
  settle_dependents(step);
  finish_recovery(step);
  // Again, where a pass itself sets something free: room that was kept with a
  // driver and that its application does not take.
  while (status() == RecoveryState::ALIVE && step.take_pass())
    run_pass(step);
  return std::move(step).finish();
}

} // namespace stoker
