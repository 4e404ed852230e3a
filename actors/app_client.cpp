#include "actors/app_client.hpp"

#include <utility>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using AppClientSelf = AppClientActor::stateful_pointer<AppClientState>;

void apply(AppClientSelf self, const ApplicationEvent& event);

/// Answers a request, unless that has happened already.
template <class T>
void answer(AppClientSelf self, std::uint64_t number, T&& x) {
  auto request = self->state.open_requests.extract(number);
  if (!request.empty())
    request.mapped().deliver(std::forward<T>(x));
}

/// Fails all requests that the master will not answer any more.
void abandon_requests(AppClientSelf self) {
  for (auto& [number, promise] : std::exchange(self->state.open_requests, {}))
    promise.deliver(
        caf::make_error(Errc::not_alive, std::string{connection_broke}));
}

/// Whether news say how the application stands. Others are about its executors.
bool is_status(const ApplicationNews& x) {
  return std::holds_alternative<ApplicationConnected>(x)
         || std::holds_alternative<ApplicationDisconnected>(x)
         || std::holds_alternative<ApplicationSearches>(x)
         || std::holds_alternative<ApplicationDead>(x);
}

/// Carries out effects. All side effects of this actor are in this class.
class AppClientInterpreter {
public:
  explicit AppClientInterpreter(AppClientSelf self) : self_(self) {
  }

  void operator()(const ConnectToMaster& x) const {
    abandon_requests(self_);
    self_->state.connection->open(x);
  }

  void operator()(const SendApplicationMessage& x) const {
    if (const auto& master = self_->state.connection->master())
      std::visit([&](const auto& y) { self_->send(master, y); }, x.message);
  }

  void operator()(const AskToLeave& x) const {
    auto self = self_;
    self->request(self->state.connection->master(),
                  defaults::master_answer_timeout, x.message)
        .then([self](bool left) { apply(self, UnregisterAnswered{left}); },
              [self](const caf::error&) { apply(self, UnregisterAnswered{}); });
  }

  void operator()(const InformApplication& x) const {
    if (is_status(x.news))
      self_->state.status = x.news;
    for (const auto& sink : self_->state.subscribers)
      sink(x.news);
  }

  void operator()(const ApplicationWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          AppClientTick{});
  }

  void operator()(const EndApplicationSession& x) const {
    self_->state.connection->leave();
    abandon_requests(self_);
    for (auto& promise : std::exchange(self_->state.leaving, {}))
      promise.deliver(x.left || !self_->state.was_connected);
    self_->quit();
  }

private:
  AppClientSelf self_;
};

void carry_out(AppClientSelf self, const ApplicationEffects& effects) {
  for (const auto& effect : effects)
    std::visit(AppClientInterpreter{self}, effect);
}

void apply(AppClientSelf self, const ApplicationEvent& event) {
  auto& state = self->state;
  carry_out(self, state.session->step(state.clock->now(), event));
}

void hear(AppClientSelf self, LeaderEpoch epoch,
          const MessageToApplication& message) {
  auto& state = self->state;
  carry_out(self,
            state.session->hear(state.clock->now(),
                                state.connection->origin(epoch), message));
}

/// What has become of the connection, or of an attempt at one.
void report(AppClientSelf self, const ConnectionEvent& event) {
  if (std::holds_alternative<MasterDisconnected>(event))
    abandon_requests(self);
  if (std::holds_alternative<MasterConnected>(event))
    self->state.was_connected = true;
  std::visit([self](const auto& x) { apply(self, x); }, event);
}

/// Passes a request of the application on to the master.
template <class Answer, class Request>
caf::result<Answer> pass_on(AppClientSelf self, const Request& x,
                            Duration wait = {}) {
  auto promise = self->make_response_promise<Answer>();
  auto& state = self->state;
  const auto& master = state.connection->master();
  if (!master)
    return promise.deliver(caf::make_error(
        Errc::not_alive, std::string{"no master is connected"}));
  auto number = state.next_request++;
  state.open_requests.emplace(number, promise);
  self->request(master, defaults::master_answer_timeout + wait, x)
      .then([self, number](Answer& y) { answer(self, number, std::move(y)); },
            [self, number](caf::error& e) {
              answer(self, number, passed_on(std::move(e), "the master"));
            });
  return promise;
}

caf::result<bool> stop(AppClientSelf self, const StopAppClient& x) {
  auto promise = self->make_response_promise<bool>();
  self->state.leaving.push_back(promise);
  apply(self, ApplicationStopRequested{x.interrupted, x.failure});
  return promise;
}

void subscribe(AppClientSelf self, const SubscribeToNews& x) {
  if (const auto& status = self->state.status)
    x.sink(*status);
  self->state.subscribers.push_back(x.sink);
}

} // namespace

AppClientActor::behavior_type app_client(AppClientSelf self,
                                         AppClientConfig config,
                                         ConnectorActor connector,
                                         ApplicationNewsSink subscriber) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.session.emplace(std::move(config));
  state.connection.emplace(
      self, std::move(connector),
      [self](const ConnectionEvent& x) { report(self, x); });
  state.subscribers.push_back(std::move(subscriber));
  apply(self, ApplicationStarted{});
  auto heard = [self](LeaderEpoch from, const auto& x) { hear(self, from, x); };
  return {
      [=](LeaderEpoch from, const MasterInStandby& x) { heard(from, x); },
      [=](LeaderEpoch from, const ReconnectApplication& x) { heard(from, x); },
      [=](LeaderEpoch from, const RegisteredApplication& x) { heard(from, x); },
      [=](LeaderEpoch from, const ApplicationRemoved& x) { heard(from, x); },
      [=](LeaderEpoch from, const WorkerRemoved& x) { heard(from, x); },
      [=](LeaderEpoch from, const ExecutorAdded& x) { heard(from, x); },
      [=](LeaderEpoch from, const ExecutorUpdated& x) { heard(from, x); },
      [=](LeaderEpoch from, const MasterChanged& x) { heard(from, x); },
      [self](const RequestExecutors& x) { return pass_on<bool>(self, x); },
      [self](const KillExecutors& x) { return pass_on<bool>(self, x); },
      [self](const SetSparkVersion& x) { return pass_on<bool>(self, x); },
      [self](const RequestOutput& x) {
        // The worker waits, and the master waits for the worker.
        return pass_on<OutputResponse>(
            self, x, defaults::worker_answer_timeout + wait_of(x));
      },
      [self](const WriteInput& x) {
        return pass_on<InputResponse>(self, x,
                                      defaults::worker_answer_timeout
                                          + defaults::input_patience);
      },
      [self](const ReportJobs& x) { apply(self, x); },
      [self](const StopAppClient& x) { return stop(self, x); },
      [self](const SubscribeToNews& x) { subscribe(self, x); },
      [self](const AppClientTick&) { apply(self, ApplicationTick{}); },
  };
}

} // namespace stoker
