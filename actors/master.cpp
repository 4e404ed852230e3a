#include "actors/master.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include <spdlog/spdlog.h>

#include "messages/caf_error.hpp"
#include "scheduling/plan.hpp"

namespace stoker {

namespace {

using Self = MasterActor::stateful_pointer<MasterState>;

constexpr auto worker_patience = std::chrono::seconds{10};

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

/// Carries out effects. All side effects of this actor are in this class.
class Interpreter {
public:
  explicit Interpreter(Self self) : self_(self) {
  }

  void operator()(const Send& x) const {
    auto peer = find(x.to);
    if (!peer)
      return;
    std::visit([&](const auto& message) { deliver(peer, message); }, x.message);
  }

  void operator()(const StartExecutor& x) const {
    auto peer = find(x.to);
    const auto& cluster = *self_->state.cluster;
    const auto* description = cluster.description(x.app_id);
    if (!peer || description == nullptr)
      return;
    deliver(peer, LaunchExecutor{cluster.config().master_url, x.app_id,
                                 x.exec_id, *description, x.cores, x.memory_mb,
                                 x.index, x.resources});
  }

  void operator()(const StartDriver& x) const {
    auto peer = find(x.to);
    const auto* description
        = self_->state.cluster->driver_description(x.driver_id);
    if (peer && description != nullptr)
      deliver(peer, LaunchDriver{x.driver_id, *description, x.resources});
  }

  void operator()(const Reply& x) {
    answer = x.answer;
  }

  void operator()(const WakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          CheckForWorkerTimeOut{});
  }

  std::optional<Answer> answer;

private:
  [[nodiscard]] caf::strong_actor_ptr find(const EndpointId& id) const {
    auto i = self_->state.connections.find(id);
    return i == self_->state.connections.end() ? nullptr : i->second;
  }

  template <class Message>
  void deliver(const caf::strong_actor_ptr& peer,
               const Message& message) const {
    // MasterChanged goes to workers too; there the type of the handle matters
    // to the compiler only.
    constexpr auto for_applications
        = is_one_of<Message, RegisteredApplication, ApplicationRemoved,
                    WorkerRemoved, ExecutorAdded, ExecutorUpdated,
                    MasterChanged>;
    using Peer
        = std::conditional_t<for_applications, AppClientActor, WorkerActor>;
    self_->send(caf::actor_cast<Peer>(peer), self_->state.cluster->epoch(),
                message);
  }

  Self self_;
};

/// Steps the state machine and carries out the consequences. Returns the answer
/// to the request that `event` is, if it is answered.
std::optional<Answer> apply(Self self, const Event& event,
                            const EndpointId& from = {}) {
  auto& state = self->state;
  auto now = state.clock->now();
  auto effects = state.cluster->step(now, event);
  const auto& log = state.services.log;
  if (log && !log->append(now, from, event, effects))
    spdlog::error("the message log cannot be written; it ends here");
  Interpreter interpreter{self};
  for (const auto& effect : effects)
    std::visit(interpreter, effect);
  return std::move(interpreter.answer);
}

/// Like `apply`, for events that are requests.
template <class T>
caf::result<T> ask(Self self, const Event& event) {
  auto answer = apply(self, event);
  if (!answer)
    return caf::make_error(Errc::not_alive,
                           std::string{"the master is not ALIVE"});
  return std::get<T>(std::move(*answer));
}

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

/// Fails what was passed on and will not be answered any more.
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
  auto [problem, endpoint] = self->state.cluster->log_holder(x);
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
ReloadResponse reload(Self self) {
  auto refuse = [](std::string why) {
    spdlog::error("the tenants stay as they are: {}", why);
    return ReloadResponse{false, std::move(why)};
  };
  if (!self->state.services.load_tenants)
    return refuse("this master was started without a tenants file");
  auto loaded = self->state.services.load_tenants();
  if (auto* problem = std::get_if<std::string>(&loaded))
    return refuse(*problem);
  auto answer = apply(
      self, ReconfigureTenants{std::get<TenantsConfig>(std::move(loaded))});
  if (!answer || !std::get<bool>(*answer))
    return refuse("the master is not ALIVE");
  spdlog::info("the tenants were read again");
  return {true, {}};
}

} // namespace

MasterActor::behavior_type master(Self self, ClusterConfig config,
                                  MasterServices services) {
  self->state.clock.emplace(self->clock());
  self->state.cluster.emplace(std::move(config));
  self->state.services = std::move(services);
  self->set_down_handler(
      [self](const caf::down_msg& x) { disconnect(self, x.source); });
  apply(self, ElectedLeader{});
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
        return self->state.cluster->driver_status(x.driver_id);
      },
      [self](const RequestMasterState&) {
        return self->state.cluster->state();
      },
      [self](const RequestKillApplication& x) {
        return ask<KillApplicationResponse>(self, x);
      },
      [self](const DecommissionWorkers& x) {
        return ask<DecommissionWorkersResponse>(self, x);
      },
      [self](const RequestQueues&) {
        return self->state.cluster->queues(self->state.clock->now());
      },
      [self](const RequestExplanation& x) {
        return self->state.cluster->explain(self->state.clock->now(), x.app_id);
      },
      [self](const RequestPlan& x) {
        return plan(*self->state.cluster, self->state.clock->now(), x);
      },
      [self](const RequestReload&) { return reload(self); },
      [self](const RequestLog& x) { return pass_on(self, x); },
      [self](const CheckForWorkerTimeOut& x) { apply(self, x); },
  };
}

} // namespace stoker
