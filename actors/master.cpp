#include "actors/master.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <caf/actor_cast.hpp>

#include <spdlog/spdlog.h>

#include "actors/defaults.hpp"
#include "actors/failure.hpp"
#include "actors/master_actions.hpp"
#include "actors/master_answers.hpp"
#include "actors/master_files.hpp"
#include "actors/master_following.hpp"
#include "actors/master_planning.hpp"
#include "actors/rights.hpp"
#include "messages/caf_error.hpp"
#include "scheduling/leadership/leadership_timing.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/reported_jobs.hpp"
#include "scheduling/planning/waiting.hpp"
#include "scheduling/tenants/tenants_change.hpp"

namespace stoker {

namespace {

using Self = MasterSelf;

// -- messages -----------------------------------------------------------------

/// The number of an actor. 0: nobody who could be answered.
PeerNumber number_of(Self self, const caf::actor_addr& address) {
  auto& peers = self->state.peers;
  if (auto known = peers.find(address); known != 0)
    return known;
  auto peer = caf::actor_cast<caf::strong_actor_ptr>(address);
  if (!peer)
    return 0;
  // Once: CAF counts monitors, and monitoring twice means two DOWN messages.
  self->monitor(peer);
  auto result = peers.number_of(peer);
  count_peers(self);
  return result;
}

/// That of who sent the present message.
PeerNumber sender(Self self) {
  return number_of(self,
                   caf::actor_cast<caf::actor_addr>(self->current_sender()));
}

/// Who has sent a message. What has no sender comes from this process.
struct Sender {
  std::optional<Identity> identity;
  bool is_own = false;
};

Sender sender_of_message(Self self) {
  const auto* network = self->state.services.network;
  const auto& sender = self->current_sender();
  auto node = sender ? sender->node() : self->node();
  return {network == nullptr ? std::nullopt : network->identity_of(node),
          node == self->node()};
}

Speaker speaker(const Sender& x) {
  if (!x.identity)
    return {{}, x.is_own, {}};
  return {to_string(*x.identity), x.is_own, x.identity->hosts};
}

/// Whether the sender of the present message may say it. If not, that is logged.
template <class Message>
Status may_say(Self self, const Sender& sender, const Message& x) {
  const auto& network = self->state.services.network;
  if (sender.is_own || network == nullptr || !network->asks_for_proof())
    return {};
  auto result = sender.identity ? check_rights(*sender.identity, x)
                                : Status{not_allowed("who has left")};
  if (!result)
    note_refusal(self, std::string{message_name<Message>} + ": "
                           + result.error().message);
  return result;
}

/// Who registers would wait for an answer. Nobody else is told.
template <class Message>
void refuse(Self self, const Message&, const std::string& why) {
  auto tell = [self](const auto& answer) {
    caf::unsafe_send_as(self,
                        caf::actor_cast<caf::actor>(self->current_sender()),
                        cluster_of(self).epoch(), answer);
  };
  if constexpr (std::is_same_v<Message, RegisterWorker>)
    tell(RegisterWorkerFailed{why});
  else if constexpr (std::is_same_v<Message, RegisterApplication>)
    tell(ApplicationRemoved{why});
}

/// Passes an event on to the logic.
template <class Message>
void hear(Self self, const Message& x) {
  auto& state = self->state;
  auto from = sender_of_message(self);
  if (auto allowed = may_say(self, from, x); !allowed)
    return refuse(self, x, allowed.error().message);
  if constexpr (std::is_same_v<Message, RegisterApplication>)
    if (auto found = have_files(self, x, speaker(from)); !found)
      return refuse(self, x, found.error().message);
  auto peer = sender_of(x).value.empty() ? 0 : sender(self);
  perform(self, state.logic->hear(state.clock->now(), peer, x, speaker(from)));
}

/// As if each had come by itself. Those for whom they come are of this process, and may say it.
void hear_all(Self self, const HeartbeatBatch& batch) {
  auto& state = self->state;
  auto now = state.clock->now();
  const Speaker own{{}, true};
  for (const auto& x : batch.all)
    perform(self, state.logic->hear(now, number_of(self, x->from), x->heartbeat,
                                    own));
}

/// Keeps what the driver of an application says of its jobs. What comes too late, or
/// over another connection than its present one, does not count.
void hear_jobs(Self self, const ReportJobs& x) {
  auto& state = self->state;
  auto from = sender_of_message(self);
  if (!may_say(self, from, x))
    return;
  auto taken = may_tell_of(cluster_of(self).state(), x.app_id, speaker(from));
  auto peer = state.peers.find(
      caf::actor_cast<caf::actor_addr>(self->current_sender()));
  if (taken && !state.logic->is_reached(x.app_id, peer))
    return;
  if (taken)
    taken = state.job_reports.take(state.clock->now(), cluster_of(self).state(),
                                   x);
  if (taken && state.services.history)
    self->send(state.services.history, x);
  if (taken && state.services.feed)
    self->send(state.services.feed, JobsReported{});
  if (!taken && taken.code() != Errc::not_found)
    note_refusal(self, std::string{message_name<ReportJobs>} + ": "
                           + taken.error().message);
}

void disconnect(Self self, const caf::actor_addr& address) {
  auto& state = self->state;
  auto peer = state.peers.find(address);
  if (peer == 0)
    return;
  abandon_passed_on(self, peer);
  state.peers.erase(peer);
  count_peers(self);
  perform(self, state.logic->disconnect(state.clock->now(), peer));
}

// -- requests -----------------------------------------------------------------

/// Passes a request on to the logic. Its answer comes when it is committed.
template <class Request>
auto ask(Self self, const Request& x) {
  using T = typename AnswerTo<Request>::type;
  auto from = sender_of_message(self);
  if (auto allowed = may_say(self, from, x); !allowed)
    return caf::result<T>{to_caf_error(allowed.error())};
  if constexpr (std::is_same_v<Request, RequestSubmitDriver>)
    if (auto found = have_files(self, x, speaker(from)); !found)
      return caf::result<T>{T{false, std::nullopt, found.error().message}};
  auto& state = self->state;
  // The promise takes the sender along.
  auto peer = state.peers.find(
      caf::actor_cast<caf::actor_addr>(self->current_sender()));
  auto promise = self->make_response_promise<T>();
  auto number = remember(
      self, [promise](const Result<std::optional<Answer>>& decided) mutable {
        if (decided)
          promise.deliver(std::get<T>(**decided));
        else
          promise.deliver(to_caf_error(decided.error()));
      });
  perform(self,
          state.logic->ask(state.clock->now(), number, x, speaker(from), peer));
  return caf::result<T>{promise};
}

/// Answers a question about this master, once what it tells is committed.
template <class T>
caf::result<T> tell_anyway(Self self, T answer) {
  if (!self->state.logic->has_uncommitted())
    return answer;
  auto promise = self->make_response_promise<T>();
  deliver_when_committed(self, promise, std::move(answer));
  return promise;
}

/// Answers a question about the cluster, once what it tells is committed. A
/// master that does not lead knows nothing of the cluster.
template <class Make>
auto tell(Self self, Make&& make) -> caf::result<decltype(make())> {
  if (in_standby(self))
    return refusal_of_standby(self);
  return tell_anyway(self, make());
}

/// Asks for no more than the connection carries besides what is to come over it.
/// @return the most bytes of the answer
std::int64_t limit_answer(RequestOutput& x, std::int64_t to_come) {
  x.limit = output_limit(x.limit, to_come);
  return x.limit;
}

/// That it has been written.
std::int64_t limit_answer(const WriteInput& /*x*/, std::int64_t /*to_come*/) {
  return 0;
}

/// Passes a request on to the worker that it is for.
/// @param wait How long that may wait before it answers.
template <class Answer, class Request>
caf::result<Answer> pass_on_to(Self self, const EndpointId& endpoint, Request x,
                               Duration wait) {
  auto& state = self->state;
  auto number = state.logic->connections().find(endpoint);
  auto worker = number ? state.peers.actor(*number) : nullptr;
  if (!worker)
    return caf::make_error(Errc::not_running,
                           "worker " + x.worker_id.value + " is not connected");
  auto promise = self->make_response_promise<Answer>();
  auto bytes = limit_answer(x, state.passed_on.bytes_to_come(*number));
  // Unless that has happened already.
  auto answer
      = [self, worker = *number,
         request = state.passed_on.add(*number, bytes, promise)](auto y) {
          if (auto open = self->state.passed_on.take(worker, request))
            open->deliver(std::move(y));
        };
  auto patience = defaults::worker_answer_timeout + wait;
  self->request(caf::actor_cast<caf::actor>(worker), patience, x)
      .then([answer](Answer& y) { answer(std::move(y)); },
            [answer, id = x.worker_id](caf::error& e) {
              answer(passed_on(std::move(e), "worker " + id.value));
            });
  return promise;
}

caf::result<OutputResponse> pass_on(Self self, const RequestOutput& x) {
  if (in_standby(self))
    return refusal_of_standby(self);
  auto endpoint = find_output_holder(cluster_of(self).state(), x.worker_id);
  if (!endpoint)
    return caf::make_error(Errc::not_found,
                           "worker " + x.worker_id.value + " is lost");
  return pass_on_to<OutputResponse>(self, *endpoint, x, wait_of(x));
}

/// Only an application itself writes to its executors.
caf::result<InputResponse> pass_on(Self self, const WriteInput& x) {
  auto from = sender_of_message(self);
  if (auto allowed = may_say(self, from, x); !allowed)
    return to_caf_error(allowed.error());
  if (in_standby(self))
    return refusal_of_standby(self);
  auto& state = self->state;
  const auto& app = x.executor.app_id;
  if (auto own = may_tell_of(cluster_of(self).state(), app, speaker(from));
      !own) {
    if (own.code() == Errc::not_allowed)
      note_refusal(self, std::string{message_name<WriteInput>} + ": "
                             + own.error().message);
    return to_caf_error(own.error());
  }
  auto peer = state.peers.find(
      caf::actor_cast<caf::actor_addr>(self->current_sender()));
  if (!state.logic->is_reached(app, peer))
    return caf::make_error(Errc::not_running,
                           to_string(app) + " has another connection");
  auto endpoint = find_input_reader(cluster_of(self).state(), x);
  if (!endpoint)
    return to_caf_error(endpoint.error());
  return pass_on_to<InputResponse>(self, *endpoint, x,
                                   defaults::input_patience);
}

/// Passes a question on to the history.
template <class Answer, class Question>
caf::result<Answer> ask_history(Self self, const Question& x) {
  if (in_standby(self))
    return refusal_of_standby(self);
  const auto& history = self->state.services.history;
  if (!history)
    return caf::make_error(
        Errc::not_found,
        std::string{"this master keeps no history (stoker.history.enabled)"});
  // Not delegated: nobody else is to know that actor.
  auto promise = self->make_response_promise<Answer>();
  self->request(history, defaults::history_answer_timeout, x)
      .then([promise](Answer& y) mutable { promise.deliver(std::move(y)); },
            [promise](caf::error& e) mutable {
              promise.deliver(passed_on(std::move(e), "the history"));
            });
  return promise;
}

/// Does it for who may say it.
/// @param act store_file or fetch_file
template <class Answer, class Message, class Act>
caf::result<Answer> with_files(Self self, Message& x, Act act) {
  auto from = sender_of_message(self);
  if (auto allowed = may_say(self, from, x); !allowed)
    return to_caf_error(allowed.error());
  return act(self, std::move(x), speaker(from));
}

/// Takes the rules for tenants from where they are, if they can be, and the certificates: this
/// process itself reads those where it asks for this.
caf::result<ReloadResponse> reload(Self self, const RequestReload& x) {
  auto from = sender_of_message(self);
  if (auto allowed = may_say(self, from, x); !allowed)
    return to_caf_error(allowed.error());
  if (in_standby(self))
    return refusal_of_standby(self);
  auto& state = self->state;
  auto* network = state.services.network;
  auto has_certificates = network != nullptr && network->has_files_of_cluster();
  if (has_certificates && !from.is_own)
    if (auto read = network->read_credentials_again(); !read)
      return ReloadResponse{false, read.error().message};
  if (has_certificates && !state.services.load_tenants)
    return ReloadResponse{true, {}};
  auto promise = self->make_response_promise<ReloadResponse>();
  auto refuse = [promise](std::string why) mutable {
    spdlog::error("[tenants-kept] the tenants stay as they are: {}", why);
    return promise.deliver(ReloadResponse{false, std::move(why)});
  };
  if (!state.services.load_tenants)
    return refuse("this master was started without a tenants file");
  auto loaded = state.services.load_tenants();
  if (!loaded)
    return refuse(std::move(loaded).error().message);
  const auto& before = state.logic->cluster().config().tenants;
  auto change = describe_change(before.value_or(TenantsConfig{}), *loaded);
  if (change.empty())
    change = "nothing has changed";
  auto number = remember(
      self, [refuse, promise,
             change](const Result<std::optional<Answer>>& decided) mutable {
        if (!decided || !std::get<bool>(**decided))
          return static_cast<void>(refuse("the master is not ALIVE"));
        spdlog::info("[tenants-reloaded] the tenants were read again: {}",
                     change);
        promise.deliver(ReloadResponse{true, change});
      });
  perform(self, state.logic->ask(state.clock->now(), number,
                                 ReconfigureTenants{*std::move(loaded)}));
  return promise;
}

} // namespace

MasterActor::behavior_type master(Self self, ClusterConfig config,
                                  MasterServices services) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.services = std::move(services);
  // What is stored is what followers and readers of the log see, too.
  config.durable = state.services.journal || state.services.feed
                   || spdlog::should_log(spdlog::level::info);
  state.observer = make_step_writer(state.services);
  state.logic.emplace(std::move(config), state.observer.get());
  self->set_down_handler(
      [self](const caf::down_msg& x) { disconnect(self, x.source); });
  if (state.services.metrics)
    for (const auto* name : event_names)
      state.services.metrics->know_event(name);
  // They end with this actor.
  if (state.services.election)
    self->link_to(state.services.election);
  if (state.services.journal)
    self->link_to(state.services.journal);
  if (state.services.feed)
    self->link_to(state.services.feed);
  if (state.services.files)
    self->link_to(state.services.files);
  perform(self, state.logic->start());
  if (state.services.election || state.services.journal)
    self->delayed_send(self, beat_every, MasterBeat{});
  return {
      [self](const RegisterWorker& x) { hear(self, x); },
      [self](const Heartbeat& x) { hear(self, x); },
      [self](const HeartbeatBatch& x) { hear_all(self, x); },
      [self](const WorkerLatestState& x) { hear(self, x); },
      [self](const WorkerSchedulerStateResponse& x) { hear(self, x); },
      [self](const WorkerDecommissioning& x) { hear(self, x); },
      [self](const WorkerLeft& x) { hear(self, x); },
      [self](const ExecutorStateChanged& x) { return ask(self, x); },
      [self](const DriverStateChanged& x) { hear(self, x); },
      [self](FetchFilePart& x) {
        return with_files<FilePart>(self, x, fetch_file);
      },
      [self](const RegisterApplication& x) { hear(self, x); },
      [self](const UnregisterApplication& x) { return ask(self, x); },
      [self](const MasterChangeAcknowledged& x) { hear(self, x); },
      [self](const ApplicationHeartbeat& x) { hear(self, x); },
      [self](const RequestExecutors& x) { return ask(self, x); },
      [self](const KillExecutors& x) { return ask(self, x); },
      [self](const SetSparkVersion& x) { return ask(self, x); },
      [self](const ReportJobs& x) { hear_jobs(self, x); },
      [self](StoreFilePart& x) {
        return with_files<StoreFileResponse>(self, x, store_file);
      },
      [self](const RequestSubmitDriver& x) { return ask(self, x); },
      [self](const RequestKillDriver& x) { return ask(self, x); },
      [self](const RequestDriverStatus& x) {
        return tell(self, [&] {
          return driver_status(cluster_of(self).state(), x.driver_id);
        });
      },
      [self](const RequestMasterState& x) {
        return tell_anyway(self, snapshot(cluster_of(self).state(), x));
      },
      [self](const RequestKillApplication& x) { return ask(self, x); },
      [self](const DecommissionWorkers& x) { return ask(self, x); },
      [self](const RequestQueues&) {
        return tell(self, [&] {
          return queues(cluster_of(self).state(), self->state.clock->now());
        });
      },
      [self](const RequestExplanation& x) -> caf::result<ExplanationResponse> {
        if (in_standby(self))
          return refusal_of_standby(self);
        return answer(self, x);
      },
      [self](const RequestPlan& x) -> caf::result<PlanResponse> {
        if (in_standby(self))
          return refusal_of_standby(self);
        return answer(self, x);
      },
      [self](const RequestJobs& x) {
        return tell(self, [&] {
          return reported_jobs(cluster_of(self).state(),
                               self->state.job_reports, x);
        });
      },
      [self](const RequestHistory& x) {
        return ask_history<HistoryResponse>(self, x);
      },
      [self](const RequestUse& x) { return ask_history<UseResponse>(self, x); },
      [self](const RequestEnds& x) {
        return follow(self, x, speaker(sender_of_message(self)));
      },
      [self](const AwaitChange& x) {
        return follow(self, x, speaker(sender_of_message(self)));
      },
      [self](const RequestReload& x) { return reload(self, x); },
      [self](const RequestOutputPlace& x) -> caf::result<OutputPlaceResponse> {
        if (in_standby(self))
          return refusal_of_standby(self);
        if (auto place = output_place(cluster_of(self).state(), x))
          return *std::move(place);
        return caf::make_error(
            Errc::not_found,
            std::string{"no such executor or driver is known"});
      },
      [self](const RequestOutput& x) { return pass_on(self, x); },
      [self](const WriteInput& x) { return pass_on(self, x); },
      [self](const ElectionWon& x) { perform(self, self->state.logic->on(x)); },
      [self](const MasterBeat&) {
        self->delayed_send(self, beat_every, MasterBeat{});
        perform(self, self->state.logic->beat(self->state.clock->now()));
      },
      [self](const CheckFollowers&) { check_followers(self); },
      [self](const CheckFiles&) { check_files(self); },
      [self](const CheckForWorkerTimeOut&) {
        perform(self, self->state.logic->tick(self->state.clock->now()));
      },
  };
}

} // namespace stoker
