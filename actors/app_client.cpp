#include "actors/app_client.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using Self = AppClientActor::stateful_pointer<AppClientState>;

constexpr auto connect_patience = std::chrono::seconds{10};
constexpr auto master_patience = std::chrono::seconds{10};

void leave_master(Self self) {
  auto& master = self->state.master;
  if (!master)
    return;
  self->demonitor(master.address());
  master = nullptr;
}

void act(Self self, const Registration::Action& action);

void connect_to(Self self, std::size_t number) {
  leave_master(self);
  auto connection = ++self->state.connection;
  self->request(self->state.connector, connect_patience,
                ConnectToMaster{number})
      .then(
          [self, connection](const caf::strong_actor_ptr& found) {
            auto& state = self->state;
            if (connection != state.connection)
              return;
            state.master = caf::actor_cast<MasterActor>(found);
            self->monitor(state.master);
            act(self, state.registration->connected(state.clock->now()));
          },
          [self, connection](const caf::error& e) {
            auto& state = self->state;
            if (connection != state.connection)
          return;
        auto reason = self->system().render(e);
        if (!std::exchange(state.told_of_search, true))
          state.listener->searching(reason);
        act(self, state.registration->failed(state.clock->now(), reason));
      });
}

/// Carries out what the registration wants, and has it woken when it is due.
void act(Self self, const Registration::Action& action) {
  auto& state = self->state;
  if (const auto* connect = std::get_if<Registration::Connect>(&action)) {
    connect_to(self, connect->master);
  } else if (std::holds_alternative<Registration::Register>(action)) {
    self->send(state.master,
               RegisterApplication{state.config.description,
                                   state.config.endpoint, state.app_id});
  } else if (const auto* over = std::get_if<Registration::GiveUp>(&action)) {
    state.listener->dead("no master: " + over->reason);
    return self->quit();
  }
  if (auto due = state.registration->due(); due && due != state.armed_for) {
    state.armed_for = due;
    self->scheduled_send(self, state.clock->at(*due), AppClientTick{});
  }
}

/// Passes a request of the application on to the master.
template <class Answer, class Request>
caf::result<Answer> pass_on(Self self, const Request& x) {
  auto promise = self->make_response_promise<Answer>();
  if (!self->state.master)
    return promise.deliver(caf::make_error(
        Errc::not_alive, std::string{"no master is connected"}));
  self->request(self->state.master, master_patience, x)
      .then(
          [promise](Answer& y) mutable { promise.deliver(std::move(y)); },
          [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  return promise;
}

caf::result<bool> stop(Self self) {
  auto& state = self->state;
  auto promise = self->make_response_promise<bool>();
  if (!state.master || !state.app_id) {
    self->quit();
    return promise.deliver(false);
  }
  self->request(state.master, master_patience,
                UnregisterApplication{*state.app_id})
      .then(
          [self, promise](bool y) mutable {
            promise.deliver(y);
            self->quit();
          },
          [self, promise](const caf::error&) mutable {
            promise.deliver(false);
            self->quit();
          });
  return promise;
}

} // namespace

AppClientActor::behavior_type
app_client(Self self, AppClientConfig config, ConnectorActor connector,
           std::shared_ptr<AppClientListener> listener) {
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.config = std::move(config);
  state.registration.emplace(state.config.registration);
  state.connector = std::move(connector);
  state.listener = std::move(listener);
  self->set_down_handler([self](const caf::down_msg& x) {
    auto& s = self->state;
    if (!s.master || x.source != s.master.address())
      return;
    s.master = nullptr;
    const std::string reason = "the connection to the master broke";
    s.listener->disconnected(reason);
    act(self, s.registration->failed(s.clock->now(), reason));
  });
  act(self, state.registration->start(state.clock->now()));
  return {
      [self](const RegisteredApplication& x) {
        self->state.registration->registered();
        self->state.told_of_search = false;
      self->state.app_id = x.app_id;
        self->state.listener->connected(x.app_id);
      },
      [self](const ApplicationRemoved& x) {
        self->state.listener->dead(x.message);
        self->quit();
      },
      [self](const WorkerRemoved& x) {
        self->state.listener->worker_removed(x);
      },
      [self](const ExecutorAdded& x) {
        self->state.listener->executor_added(x);
      },
      [self](const ExecutorUpdated& x) {
        self->state.listener->executor_updated(x);
      },
      [self](const MasterChanged&) {
        self->state.registration->registered();
        if (self->state.app_id && self->state.master)
          self->send(self->state.master,
                     MasterChangeAcknowledged{*self->state.app_id});
      },
      [self](const RequestExecutors& x) { return pass_on<bool>(self, x); },
      [self](const KillExecutors& x) { return pass_on<bool>(self, x); },
      [self](const RequestLog& x) { return pass_on<LogResponse>(self, x); },
      [self](const StopAppClient&) { return stop(self); },
      [self](const AppClientTick&) {
        auto& s = self->state;
        act(self, s.registration->tick(s.clock->now()));
      },
  };
}

} // namespace stoker
