#include "actors/app_client.hpp"

#include <utility>

#include <caf/actor_cast.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using Self = AppClientActor::stateful_pointer<AppClientState>;

constexpr auto connect_patience = std::chrono::seconds{10};
constexpr auto master_patience = std::chrono::seconds{10};

/// Answers a request, unless that has happened already.
template <class T>
void answer(Self self, std::uint64_t number, T&& x) {
  auto request = self->state.open_requests.extract(number);
  if (!request.empty())
    request.mapped().deliver(std::forward<T>(x));
}

/// Fails all requests that the master will not answer any more.
void abandon_requests(Self self) {
  for (auto& [number, promise] : std::exchange(self->state.open_requests, {}))
    promise.deliver(caf::make_error(
        Errc::not_alive, std::string{"the connection to the master broke"}));
}

void leave_master(Self self) {
  auto& master = self->state.master;
  if (!master)
    return;
  self->demonitor(master.address());
  master = nullptr;
  abandon_requests(self);
}

/// Ends this actor without leaving anybody to wait for it.
void end(Self self, bool left) {
  leave_master(self);
  abandon_requests(self);
  for (auto& promise : std::exchange(self->state.leaving, {}))
    promise.deliver(left);
  self->quit();
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
            auto next = state.registration->failed(state.clock->now(), reason);
            if (!std::holds_alternative<Registration::GiveUp>(next)
                && !std::exchange(state.told_of_search, true))
              state.listener->searching(reason);
            act(self, next);
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
    return end(self, false);
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

caf::result<bool> stop(Self self) {
  auto& state = self->state;
  auto promise = self->make_response_promise<bool>();
  state.leaving.push_back(promise);
  if (!state.master || !state.app_id || state.over)
    end(self, false);
  else if (state.leaving.size() == 1)
    self->request(state.master, master_patience,
                  UnregisterApplication{*state.app_id})
        .then([self](bool y) { end(self, y); },
              [self](const caf::error&) { end(self, false); });
  return promise;
}

void on_removed(Self self, const ApplicationRemoved& x) {
  auto& state = self->state;
  if (std::exchange(state.over, true))
    return;
  state.listener->dead(x.message);
  if (!state.leaving.empty())
    end(self, true);
}

/// The master turns out not to be the one to talk to.
void search_on(Self self, const std::string& reason) {
  auto& state = self->state;
  if (state.over)
    return;
  if (state.registration->phase() == Registration::Phase::registered)
    state.listener->disconnected(reason);
  act(self, state.registration->failed(state.clock->now(), reason));
}

/// Whether a master's word counts: it has not been replaced by a later leader.
bool heeds(Self self, LeaderEpoch from) {
  auto& epoch = self->state.epoch;
  if (from < epoch) {
    search_on(self, "the master has been replaced");
    return false;
  }
  epoch = from;
  return true;
}

void on_master_lost(Self self) {
  auto& state = self->state;
  state.master = nullptr;
  abandon_requests(self);
  if (!state.leaving.empty())
    return end(self, false);
  if (state.over)
    return;
  const std::string reason = "the connection to the master broke";
  state.listener->disconnected(reason);
  act(self, state.registration->failed(state.clock->now(), reason));
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
    const auto& master = self->state.master;
    if (master && x.source == master.address())
      on_master_lost(self);
  });
  act(self, state.registration->start(state.clock->now()));
  return {
      [self](LeaderEpoch, const MasterInStandby&) {
        search_on(self, "the master is STANDBY");
      },
      [self](LeaderEpoch from, const RegisteredApplication& x) {
        if (!heeds(self, from) || self->state.over)
          return;
        self->state.registration->registered();
        self->state.told_of_search = false;
        self->state.app_id = x.app_id;
        self->state.listener->connected(x.app_id);
      },
      [self](LeaderEpoch from, const ApplicationRemoved& x) {
        if (heeds(self, from))
          on_removed(self, x);
      },
      [self](LeaderEpoch from, const WorkerRemoved& x) {
        if (heeds(self, from))
          self->state.listener->worker_removed(x);
      },
      [self](LeaderEpoch from, const ExecutorAdded& x) {
        if (heeds(self, from))
          self->state.listener->executor_added(x);
      },
      [self](LeaderEpoch from, const ExecutorUpdated& x) {
        if (heeds(self, from))
          self->state.listener->executor_updated(x);
      },
      [self](LeaderEpoch from, const MasterChanged&) {
        if (!heeds(self, from))
          return;
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
        if (!s.over)
          act(self, s.registration->tick(s.clock->now()));
      },
  };
}

} // namespace stoker
