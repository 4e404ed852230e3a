#include "actors/master.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include <spdlog/spdlog.h>

#include "actors/master_steps.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/plan.hpp"
#include "scheduling/planning/waiting.hpp"

namespace stoker {

namespace {

using Self = MasterSelf;

constexpr auto worker_patience = std::chrono::seconds{10};

/// Forgets that a connection leads to an endpoint.
void leave(Self self, const caf::actor_addr& address,
           const EndpointId& endpoint) {
  auto& endpoints = self->state.endpoints;
  auto i = endpoints.find(address);
  if (i == endpoints.end() || i->second.erase(endpoint) == 0
      || !i->second.empty())
    return;
  endpoints.erase(i);
  self->demonitor(address);
}

/// Remembers how an endpoint is connected and asks for a DOWN message.
void connect(Self self, const EndpointId& endpoint) {
  auto& state = self->state;
  const auto& sender = self->current_sender();
  // Nobody who could be answered.
  if (!sender)
    return;
  auto& current = state.connections[endpoint];
  if (current == sender)
    return;
  if (current)
    leave(self, caf::actor_cast<caf::actor_addr>(current), endpoint);
  current = sender;
  auto& behind = state.endpoints[caf::actor_cast<caf::actor_addr>(current)];
  // CAF counts monitors: monitoring twice means two DOWN messages.
  if (behind.empty())
    self->monitor(current);
  behind.insert(endpoint);
}

/// Answers a request that was passed on, unless that has happened already.
template <class T>
void answer(Self self, std::uint64_t number, T&& x) {
  auto request = self->state.open_requests.extract(number);
  if (!request.empty())
    request.mapped().answer.deliver(std::forward<T>(x));
}

void disconnect(Self self, const caf::actor_addr& address) {
  auto& state = self->state;
  abandon_requests(self, address);
  auto gone = state.endpoints.extract(address);
  if (gone.empty())
    return;
  for (const auto& endpoint : gone.mapped()) {
    state.connections.erase(endpoint);
    spdlog::info("{} is disconnected", endpoint.value);
    apply(self, EndpointLost{endpoint});
  }
}

/// Passes a request on to the worker that holds the output.
caf::result<LogResponse> pass_on(Self self, const RequestLog& x) {
  auto promise = self->make_response_promise<LogResponse>();
  if (self->state.cluster->status() == RecoveryState::STANDBY)
    return promise.deliver(not_alive());
  auto [problem, endpoint] = find_log_holder(self->state.cluster->state(), x);
  auto worker = self->state.connections.find(endpoint);
  if (problem == Errc::none && worker == self->state.connections.end())
    problem = Errc::not_running;
  if (problem != Errc::none) {
    auto sentence = problem == Errc::not_found
                        ? "no such executor or driver is known"
                        : "no connected worker holds its output";
    return promise.deliver(caf::make_error(problem, std::string{sentence}));
  }
  auto& state = self->state;
  auto number = state.next_request++;
  auto handle = caf::actor_cast<WorkerActor>(worker->second);
  state.open_requests[number] = {handle.address(), promise};
  self->request(handle, worker_patience, x)
      .then([self,
             number](LogResponse& y) { answer(self, number, std::move(y)); },
            [self, number](caf::error& e) {
              answer(self, number, std::move(e));
            });
  return promise;
}

/// Takes the rules for tenants from where they are, if they can be.
caf::result<ReloadResponse> reload(Self self) {
  auto promise = self->make_response_promise<ReloadResponse>();
  auto refuse = [promise](std::string why) mutable {
    spdlog::error("the tenants stay as they are: {}", why);
    return promise.deliver(ReloadResponse{false, std::move(why)});
  };
  if (self->state.cluster->status() == RecoveryState::STANDBY)
    return promise.deliver(not_alive());
  if (!self->state.services.load_tenants)
    return refuse("this master was started without a tenants file");
  auto loaded = self->state.services.load_tenants();
  if (!loaded)
    return refuse(std::move(loaded).error().message);
  apply(self, ReconfigureTenants{*std::move(loaded)}, {},
        [refuse, promise](const std::optional<Answer>& decided) {
          auto done = decided && std::get<bool>(*decided);
          return [refuse, promise, done](const caf::error& problem) mutable {
            if (!done || problem)
              return static_cast<void>(refuse("the master is not ALIVE"));
            spdlog::info("the tenants were read again");
            promise.deliver(ReloadResponse{true, {}});
          };
        });
  return promise;
}

} // namespace

void abandon_requests(Self self, const caf::actor_addr& worker) {
  auto& open = self->state.open_requests;
  for (auto i = open.begin(); i != open.end();) {
    auto current = i++;
    if (current->second.worker == worker)
      answer(
          self, current->first,
          caf::make_error(Errc::not_running,
                          std::string{"the connection to the worker broke"}));
  }
}

MasterActor::behavior_type master(Self self, ClusterConfig config,
                                  MasterServices services) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.config = std::move(config);
  state.services = std::move(services);
  state.config.durable = static_cast<bool>(state.services.journal);
  state.cluster.emplace(state.config);
  self->set_down_handler(
      [self](const caf::down_msg& x) { disconnect(self, x.source); });
  // They end with this actor.
  if (state.services.election)
    self->link_to(state.services.election);
  if (state.services.journal)
    self->link_to(state.services.journal);
  contend(self, std::chrono::milliseconds{0});
  return {
      [self](const RegisterWorker& x) {
        connect(self, x.worker);
        spdlog::info("{} registers with {} cores and {} MB", x.id.value,
                     x.cores, x.memory_mb);
        apply(self, x, x.worker);
      },
      [self](const Heartbeat& x) {
        connect(self, x.worker);
        apply(self, x, x.worker);
      },
      [self](const WorkerLatestState& x) { apply(self, x); },
      [self](const WorkerSchedulerStateResponse& x) { apply(self, x); },
      [self](const WorkerDecommissioning& x) { apply(self, x, x.worker_ref); },
      [self](const ExecutorStateChanged& x) { return ask<bool>(self, x); },
      [self](const DriverStateChanged& x) { apply(self, x); },
      [self](const RegisterApplication& x) {
        connect(self, x.driver);
        spdlog::info("application '{}' of {} registers", x.description.name,
                     x.description.user);
        apply(self, x, x.driver);
      },
      [self](const UnregisterApplication& x) { return ask<bool>(self, x); },
      [self](const MasterChangeAcknowledged& x) { apply(self, x); },
      [self](const RequestExecutors& x) { return ask<bool>(self, x); },
      [self](const KillExecutors& x) { return ask<bool>(self, x); },
      [self](const RequestSubmitDriver& x) {
        return ask<SubmitDriverResponse>(self, x);
      },
      [self](const RequestKillDriver& x) {
        return ask<KillDriverResponse>(self, x);
      },
      [self](const RequestDriverStatus& x) {
        return tell(self,
                    driver_status(self->state.cluster->state(), x.driver_id));
      },
      [self](const RequestMasterState&) {
        return tell_anyway(self, snapshot(self->state.cluster->state()));
      },
      [self](const RequestKillApplication& x) {
        return ask<KillApplicationResponse>(self, x);
      },
      [self](const DecommissionWorkers& x) {
        return ask<DecommissionWorkersResponse>(self, x);
      },
      [self](const RequestQueues&) {
        return tell(self, queues(self->state.cluster->state(),
                                 self->state.clock->now()));
      },
      [self](const RequestExplanation& x) {
        return tell(self, explain(*self->state.cluster,
                                  self->state.clock->now(), x.app_id));
      },
      [self](const RequestPlan& x) {
        return tell(self,
                    plan(*self->state.cluster, self->state.clock->now(), x));
      },
      [self](const RequestReload&) { return reload(self); },
      [self](const RequestLog& x) { return pass_on(self, x); },
      [self](const CheckForWorkerTimeOut& x) { apply(self, x); },
  };
}

} // namespace stoker
