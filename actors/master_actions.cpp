#include "actors/master_actions.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/master_files.hpp"
#include "actors/master_following.hpp"
#include "messages/caf_error.hpp"
#include "messages/json.hpp"
#include "scheduling/leadership/leadership_timing.hpp"
#include "scheduling/master/refusals.hpp"

namespace stoker {

namespace {

using Self = MasterSelf;

constexpr Duration warn_of_store_after = std::chrono::seconds{5};

// -- the message log ----------------------------------------------------------

class StepWriter : public StepObserver {
public:
  StepWriter(std::shared_ptr<MessageLogWriter> log,
             std::shared_ptr<MasterMetrics> metrics)
      : log_(std::move(log)), metrics_(std::move(metrics)) {
    // Not only when it leads: until then somebody may mend it.
    if (auto problem = log_ ? log_->problem() : std::string{};
        !problem.empty()) {
      spdlog::error("[message-log-lost] {}; the master goes on without",
                    problem);
      log_.reset();
    }
  }

  void stepped(const Cluster& cluster, const EndpointId& from,
               const Event& event, const StepResult& result) override {
    if (metrics_)
      metrics_->step();
    if (auto refusal = refusal_in(event, result))
      tell(*refusal);
    auto begins = std::holds_alternative<ElectedLeader>(event);
    auto before = std::exchange(status_, cluster.status());
    if (begins || before != status_)
      spdlog::info("[master-state] {} at {}", to_string(status_),
                   cluster.config().master_url);
    if (const auto* lost = std::get_if<EndpointLost>(&event))
      spdlog::info("[peer-disconnected] {} is disconnected",
                   lost->endpoint.value);
    if (log_ && !log_->append(cluster, from, event, result))
      spdlog::error("[message-log-lost] {}; it ends here, and the master goes "
                    "on without",
                    log_->problem());
  }

private:
  void tell(const Refusal& x) {
    refusals_.warn(x.fields);
    if (metrics_)
      metrics_->refusal(x.kind);
  }

  std::shared_ptr<MessageLogWriter> log_;
  std::shared_ptr<MasterMetrics> metrics_;
  LimitedLog refusals_{"refused"};
  RecoveryState status_ = RecoveryState::STANDBY;
};

// -- leaderships --------------------------------------------------------------

/// A tenants file may have been changed since this master was started.
void read_tenants(Self self) {
  auto& state = self->state;
  if (!state.services.load_tenants)
    return;
  auto loaded = state.services.load_tenants();
  if (loaded)
    state.logic->use_tenants(*std::move(loaded));
  else
    spdlog::warn(
        "[tenants-kept] the tenants are as when this master started: {}",
        loaded.error().message);
}

/// What the new leader decides otherwise than the last one did.
void tell_of_changes(const ClusterConfig& before, const ClusterConfig& now) {
  auto then = to_json(before);
  auto since = to_json(now);
  for (const auto& [name, value] : since.get_object()) {
    const auto* old = then.get_object().if_contains(name);
    if (name != "seed" && name != "master_url"
        && (old == nullptr || *old != value))
      spdlog::warn("[setting-changed] {} is no longer as under the last leader",
                   std::string{name});
  }
}

void report(Self self, LeadershipBegun x) {
  auto& state = self->state;
  if (x.leadership) {
    const auto& stored = x.leadership->stored;
    state.told_of_failure = false;
    state.job_reports.clear();
    state.last_published = 0;
    if (stored.config)
      tell_of_changes(*stored.config, state.logic->config());
    spdlog::info("[leadership-begun] leading with epoch {}: {} workers, {} "
                 "applications and {} "
                 "drivers are stored",
                 x.leadership->epoch.value, stored.workers.size(),
                 stored.applications.size(), stored.drivers.size());
    state.events.emplace(stored);
    if (state.services.metrics)
      state.services.metrics->leadership();
    if (state.services.feed)
      self->send(state.services.feed,
                 BeginFeed{x.leadership->epoch,
                           std::make_shared<const StoredState>(stored)});
  } else if (state.services.metrics) {
    // That it leads is to be stored, too, again and again.
    state.services.metrics->failed_commit();
  }
  perform(self, state.logic->on(state.clock->now(), std::move(x)));
}

/// Once it is known which files there are.
void report_with_files(Self self, LeadershipBegun x) {
  if (!x.leadership)
    return report(self, std::move(x));
  auto begun = std::make_shared<LeadershipBegun>(std::move(x));
  open_files(self, [self, begun] { report(self, std::move(*begun)); });
}

/// Until the election is won.
void ask_for_obstacles(Self self, TermNumber term,
                       std::optional<std::string> known = {}) {
  self->request(self->state.services.election, caf::infinite,
                AwaitObstacle{std::move(known)})
      .then([self, term](const std::string& why) {
        if (self->state.logic->on(ElectionObstructed{term, why}))
          ask_for_obstacles(self, term, why);
      });
}

void act(Self self, const ContendForLeadership& x) {
  auto& state = self->state;
  const auto& election = state.services.election;
  // With nobody to contend with it is elected.
  if (!election && x.after == Duration{})
    return perform(self, state.logic->on(ElectionWon{x.term}));
  if (!election)
    return self->delayed_send(self, x.after, ElectionWon{x.term});
  self->request(election, caf::infinite, Contend{x.after})
      .then([self, term = x.term, election](bool) {
        self->request(election, caf::infinite, AwaitRevocation{})
            .then([self, term](const std::string& why) {
              auto now = self->state.clock->now();
              perform(self,
                      self->state.logic->on(now, ElectionLost{term, why}));
            });
        perform(self, self->state.logic->on(ElectionWon{term}));
      });
  ask_for_obstacles(self, x.term);
}

void act(Self self, const ResignLeadership& x) {
  auto& state = self->state;
  if (!std::exchange(state.told_of_failure, true))
    spdlog::error("[standby] STANDBY: {}", x.why);
  if (state.services.election)
    self->send(state.services.election, Resign{});
}

void act(Self self, const BeginLeadership& x) {
  auto& state = self->state;
  read_tenants(self);
  auto now_ms = to_ms(state.clock->now());
  if (!state.services.journal)
    return report_with_files(
        self, {x.term, Leadership{next_epoch(LeaderEpoch{}, now_ms), {}}});
  self->request(state.services.journal, caf::infinite,
                OpenJournal{state.logic->config().master_url, now_ms})
      .then(
          [self, term = x.term](JournalAnswer& y) {
            if (y.status)
              report_with_files(self, {term, std::move(y.leadership)});
            else
              report(self, {term, std::move(y.status).error()});
          },
          [self, term = x.term](const caf::error& e) {
            report(self, {term, Error{Errc::failed, self->system().render(e)}});
          });
}

// -- commit, then send --------------------------------------------------------

void act(Self self, CommitBatch& x) {
  auto& state = self->state;
  // With nobody to store it, all is as durable as it will ever be.
  if (!state.services.journal)
    return perform(
        self, state.logic->on(state.clock->now(), BatchCommitted{x.term, {}}));
  auto report = [self, term = x.term, count = x.changes->size(),
                 begin = std::chrono::steady_clock::now()](Status status) {
    if (const auto& metrics = self->state.services.metrics; metrics && status)
      metrics->commit(std::chrono::steady_clock::now() - begin, count);
    else if (metrics)
      metrics->failed_commit();
    perform(self,
            self->state.logic->on(self->state.clock->now(),
                                  BatchCommitted{term, std::move(status)}));
  };
  self->request(state.services.journal, caf::infinite,
                CommitChanges{std::move(x.changes)})
      .then([report](JournalAnswer& y) { report(std::move(y.status)); },
            [self, report](const caf::error& e) {
              report(Error{Errc::failed, self->system().render(e)});
            });
}

void act(Self self, const CheckLeadership& x) {
  auto& state = self->state;
  auto report = [self, term = x.term](Status status) {
    auto now = self->state.clock->now();
    perform(self, self->state.logic->on(
                      now, LeadershipChecked{term, std::move(status)}));
  };
  if (!state.services.journal)
    return report({});
  self->request(state.services.journal, caf::infinite, CheckJournal{})
      .then([report](JournalAnswer& y) { report(std::move(y.status)); },
            [self, report](const caf::error& e) {
              report(Error{Errc::failed, self->system().render(e)});
            });
}

void act(Self self, PublishBatch& x) {
  auto& events = self->state.events;
  const auto& metrics = self->state.services.metrics;
  // Who logs warnings alone wants to hear of none of these.
  auto logs = spdlog::should_log(spdlog::level::info);
  if (events && (metrics || logs))
    for (const auto& line : events->of(*x.changes)) {
      if (logs)
        spdlog::log(line.is_warning ? spdlog::level::warn : spdlog::level::info,
                    "[{}] {}", line.event, line.fields);
      if (metrics)
        metrics->event(line.event);
    }
  answer_followers(self, x.number, *x.changes);
  if (self->state.services.feed)
    self->send(self->state.services.feed, std::move(x));
}

void deliver(Self self, LeaderEpoch epoch, const Outbox::Message& x) {
  // It may have gone since.
  auto peer = self->state.peers.actor(x.to);
  if (!peer)
    return;
  auto send = [&](const auto& message) {
    // What it is that takes the message, the compiler need not know.
    caf::unsafe_send_as(self, caf::actor_cast<caf::actor>(peer), epoch,
                        message);
  };
  if (const auto* message = std::get_if<MasterMessage>(&x.message))
    std::visit(send, *message);
  else if (const auto* executor = std::get_if<LaunchExecutor>(&x.message))
    send(*executor);
  else
    send(std::get<LaunchDriver>(x.message));
}

void deliver(Self self, LeaderEpoch, const Outbox::Response& x) {
  auto request = self->state.requests.extract(x.request);
  if (!request.empty())
    request.mapped()(x.answer);
}

/// All that leaves this actor unasked leaves it here.
void act(Self self, const Outbox& x) {
  for (const auto& item : x.items)
    std::visit([&](const auto& y) { deliver(self, x.epoch, y); }, item);
}

void act(Self self, const ShowLife&) {
  if (self->state.services.election)
    self->send(self->state.services.election, ShowThatItLeads{});
}

void act(Self self, const StoreHangs& x) {
  const auto& services = self->state.services;
  auto lasts = beat_every * x.beats;
  auto seconds = lasts / std::chrono::seconds{1};
  if (lasts == warn_of_store_after)
    spdlog::warn("[store-hangs] the store has not answered for {} s", seconds);
  if (services.store_hangs && lasts >= services.store_timeout)
    services.store_hangs("the store has not answered for "
                         + std::to_string(seconds) + " s");
}

// -- connections and time -----------------------------------------------------

void act(Self self, const LeavePeer& x) {
  auto peer = self->state.peers.actor(x.peer);
  abandon_passed_on(self, x.peer);
  self->state.peers.erase(x.peer);
  count_peers(self);
  if (peer)
    self->demonitor(caf::actor_cast<caf::actor_addr>(peer));
}

void act(Self self, const LogRefusal& x) {
  note_refusal(self, x.why);
}

void act(Self self, const WakeMaster& x) {
  self->scheduled_send(self, self->state.clock->at(x.at),
                       CheckForWorkerTimeOut{});
}

} // namespace

void perform(Self self, MasterActions actions) {
  self->state.actions.run(std::move(actions),
                          [self](auto& x) { act(self, x); });
}

void note_refusal(Self self, const std::string& why) {
  self->state.refusals.warn(why);
  if (const auto& metrics = self->state.services.metrics)
    metrics->refusal("message");
}

void count_peers(Self self) {
  if (const auto& metrics = self->state.services.metrics)
    metrics->set_peers(self->state.peers.size());
}

void abandon_passed_on(Self self, PeerNumber peer) {
  for (auto& answer : self->state.passed_on.take_all(peer))
    answer.deliver(caf::make_error(
        Errc::not_running, std::string{"the connection to the worker broke"}));
}

std::unique_ptr<StepObserver> make_step_writer(const MasterServices& services) {
  return std::make_unique<StepWriter>(services.log, services.metrics);
}

} // namespace stoker
