#include "actors/app_client.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include "actors/patience.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using AppClientSelf = AppClientActor::stateful_pointer<AppClientState>;

void apply(AppClientSelf self, const ApplicationEvent& event,
           LeaderEpoch from = {});

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
    promise.deliver(caf::make_error(
        Errc::not_alive, std::string{"the connection to the master broke"}));
}

/// Tells the listener of news.
class Informer {
public:
  explicit Informer(AppClientListener& listener) : listener_(listener) {
  }

  void operator()(const ApplicationConnected& x) const {
    listener_.connected(x.id);
  }
  void operator()(const ApplicationDisconnected& x) const {
    listener_.disconnected(x.reason);
  }
  void operator()(const ApplicationSearches& x) const {
    listener_.searching(x.reason);
  }
  void operator()(const ApplicationDead& x) const {
    listener_.dead(x.reason);
  }
  void operator()(const ExecutorAdded& x) const {
    listener_.executor_added(x);
  }
  void operator()(const ExecutorUpdated& x) const {
    listener_.executor_updated(x);
  }
  void operator()(const WorkerRemoved& x) const {
    listener_.worker_removed(x);
  }

private:
  AppClientListener& listener_;
};

/// Carries out effects. All side effects of this actor are in this class.
class AppClientInterpreter {
public:
  explicit AppClientInterpreter(AppClientSelf self) : self_(self) {
  }

  void operator()(const ConnectToMaster& x) const {
    auto self = self_;
    leave_master();
    auto connection = ++self->state.connection;
    self->request(self->state.connector, connect_patience, x)
        .then(
            [self, connection](const caf::strong_actor_ptr& found) {
              if (connection != self->state.connection)
                return;
              self->state.master = caf::actor_cast<MasterActor>(found);
              self->monitor(self->state.master);
              apply(self, MasterConnected{});
            },
            [self, connection](const caf::error& e) {
              if (connection == self->state.connection)
                apply(self, MasterConnectionFailed{self->system().render(e)});
            });
  }

  void operator()(const SendApplicationMessage& x) const {
    std::visit([&](const auto& y) { self_->send(self_->state.master, y); },
               x.message);
  }

  void operator()(const AskToLeave& x) const {
    auto self = self_;
    self->request(self->state.master, master_patience, x.message)
        .then([self](bool left) { apply(self, UnregisterAnswered{left}); },
              [self](const caf::error&) { apply(self, UnregisterAnswered{}); });
  }

  void operator()(const InformApplication& x) const {
    std::visit(Informer{*self_->state.listener}, x.news);
  }

  void operator()(const ApplicationWakeAt& x) const {
    self_->scheduled_send(self_, self_->state.clock->at(x.when),
                          AppClientTick{});
  }

  void operator()(const EndApplicationSession& x) const {
    leave_master();
    abandon_requests(self_);
    for (auto& promise : std::exchange(self_->state.leaving, {}))
      promise.deliver(x.left);
    self_->quit();
  }

private:
  void leave_master() const {
    auto& master = self_->state.master;
    if (!master)
      return;
    self_->demonitor(master.address());
    master = nullptr;
    abandon_requests(self_);
  }

  AppClientSelf self_;
};

void apply(AppClientSelf self, const ApplicationEvent& event,
           LeaderEpoch from) {
  auto& state = self->state;
  for (const auto& effect :
       state.session->step(state.clock->now(), event, from))
    std::visit(AppClientInterpreter{self}, effect);
}

/// Passes a request of the application on to the master.
template <class Answer, class Request>
caf::result<Answer> pass_on(AppClientSelf self, const Request& x) {
  auto promise = self->make_response_promise<Answer>();
  auto& state = self->state;
  if (!state.master)
    return promise.deliver(caf::make_error(
        Errc::not_alive, std::string{"no master is connected"}));
  auto number = state.next_request++;
  state.open_requests.emplace(number, promise);
  self->request(state.master, master_patience, x)
      .then([self, number](Answer& y) { answer(self, number, std::move(y)); },
            [self, number](caf::error& e) {
              answer(self, number, std::move(e));
            });
  return promise;
}

caf::result<bool> stop(AppClientSelf self) {
  auto promise = self->make_response_promise<bool>();
  self->state.leaving.push_back(promise);
  apply(self, ApplicationStopRequested{});
  return promise;
}

/// Handles a message of the master that this application is connected to. Those of
/// a master that it has left are ignored.
void hear(AppClientSelf self, const ApplicationEvent& event, LeaderEpoch from) {
  const auto& master = self->state.master;
  if (master
      && self->current_sender()
             == caf::actor_cast<caf::strong_actor_ptr>(master))
    apply(self, event, from);
}

} // namespace

AppClientActor::behavior_type
app_client(AppClientSelf self, AppClientConfig config, ConnectorActor connector,
           std::shared_ptr<AppClientListener> listener) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.session.emplace(std::move(config));
  state.connector = std::move(connector);
  state.listener = std::move(listener);
  self->set_down_handler([self](const caf::down_msg& x) {
    if (!self->state.master || x.source != self->state.master.address())
      return;
    self->state.master = nullptr;
    abandon_requests(self);
    apply(self, MasterDisconnected{});
  });
  apply(self, ApplicationStarted{});
  return {
      [self](LeaderEpoch from, const MasterInStandby& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const RegisteredApplication& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const ApplicationRemoved& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const WorkerRemoved& x) { hear(self, x, from); },
      [self](LeaderEpoch from, const ExecutorAdded& x) { hear(self, x, from); },
      [self](LeaderEpoch from, const ExecutorUpdated& x) {
        hear(self, x, from);
      },
      [self](LeaderEpoch from, const MasterChanged& x) { hear(self, x, from); },
      [self](const RequestExecutors& x) { return pass_on<bool>(self, x); },
      [self](const KillExecutors& x) { return pass_on<bool>(self, x); },
      [self](const RequestLog& x) { return pass_on<LogResponse>(self, x); },
      [self](const StopAppClient&) { return stop(self); },
      [self](const AppClientTick&) { apply(self, ApplicationTick{}); },
  };
}

} // namespace stoker
