#include "scheduling/leadership/master_logic.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/leadership/leadership_timing.hpp"

namespace stoker {

MasterLogic::MasterLogic(ClusterConfig config, StepObserver* observer)
    : config_(std::move(config)), observer_(observer), cluster_(config_) {
}

// -- leaderships --------------------------------------------------------------

MasterActions MasterLogic::start() {
  return {ContendForLeadership{term_, {}}};
}

MasterActions MasterLogic::on(const ElectionWon& x) {
  if (x.term != term_ || phase_ != Phase::contending)
    return {};
  phase_ = Phase::opening;
  beats_without_answer_ = 0;
  return {BeginLeadership{term_}};
}

bool MasterLogic::on(const ElectionObstructed& x) {
  if (x.term != term_ || phase_ != Phase::contending)
    return false;
  why_in_standby_ = x.why;
  return true;
}

MasterActions MasterLogic::on(Instant now, const ElectionLost& x) {
  if (x.term != term_)
    return {};
  return stand_by(now, x.why);
}

MasterActions MasterLogic::on(Instant now, LeadershipBegun x) {
  if (x.term != term_ || phase_ != Phase::opening)
    return {};
  if (!x.leadership)
    return stand_by(now, std::move(x.leadership).error().message);
  phase_ = Phase::leading;
  why_in_standby_.clear();
  answered_ = true;
  check_under_way_ = false;
  committed_ = 0;
  stalled_ = false;
  cluster_ = Cluster{config_};
  MasterActions out;
  apply(out, now,
        ElectedLeader{x.leadership->epoch, std::move(x.leadership->stored)});
  return out;
}

MasterActions MasterLogic::stand_by(Instant now, std::string why) {
  why_in_standby_ = why;
  auto led = std::exchange(phase_, Phase::contending) == Phase::leading;
  ++term_;
  // It has no effects, and nobody waits for it.
  if (led)
    (void)step_cluster(now, LeadershipEnded{why});
  MasterActions out{ResignLeadership{std::move(why)}};
  for (const auto& unsent : queue_.drop()) {
    Outbox refusals{unsent.step, {}, {}};
    for (const auto& item : unsent.items)
      if (const auto* x = std::get_if<Outbox::Response>(&item))
        refusals.items.emplace_back(
            Outbox::Response{x->request, standby_error()});
    if (!refusals.items.empty())
      out.push_back(std::move(refusals));
  }
  auto peers = connections_.clear();
  if (!peers.empty()) {
    Outbox farewell{last_step_, {}, {}};
    for (auto peer : peers)
      farewell.items.emplace_back(Outbox::Message{
          peer, MasterMessage{MasterInStandby{standby_error().message}}});
    out.push_back(std::move(farewell));
  }
  for (auto peer : peers)
    out.push_back(LeavePeer{peer});
  out.push_back(ContendForLeadership{term_, retry_pause});
  return out;
}

void MasterLogic::use_tenants(TenantsConfig tenants) {
  config_.tenants = std::move(tenants);
}

// -- connections --------------------------------------------------------------

MasterActions MasterLogic::hear(Instant now, PeerNumber peer, Event what,
                                const Speaker& who) {
  MasterActions out;
  if (auto allowed = may_say(cluster_.state(), what, who); !allowed) {
    refuse(out, peer, what, allowed.error().message);
    return out;
  }
  set_identity(what, who);
  const auto& endpoint = sender_of(what);
  if (peer != 0 && !endpoint.value.empty()) {
    auto heard = connections_.hear(endpoint, peer, stamp_of(what));
    if (!heard.counts)
      return out;
    if (heard.unused)
      out.push_back(LeavePeer{*heard.unused});
  }
  apply(out, now, what);
  return out;
}

/// Who registers would wait for an answer. Nobody else is told.
void MasterLogic::refuse(MasterActions& out, PeerNumber peer, const Event& what,
                         const std::string& why) {
  out.push_back(LogRefusal{why});
  std::optional<MasterMessage> answer;
  if (std::holds_alternative<RegisterWorker>(what))
    answer = RegisterWorkerFailed{why};
  else if (std::holds_alternative<RegisterApplication>(what))
    answer = ApplicationRemoved{why};
  if (answer && peer != 0)
    send(out, {},
         Outbox{last_step_,
                cluster_.epoch(),
                {Outbox::Message{peer, *std::move(answer)}}});
}

MasterActions MasterLogic::disconnect(Instant now, PeerNumber peer) {
  MasterActions out;
  for (const auto& endpoint : connections_.disconnect(peer))
    apply(out, now, EndpointLost{endpoint});
  return out;
}

bool MasterLogic::is_reached(const AppId& app, PeerNumber peer) const {
  const auto& applications = cluster_.state().applications;
  auto key = applications.find(app);
  return key && peer != 0
         && connections_.find(applications.at(*key).stored.driver) == peer;
}

/// Whether the application that wants so many executors has another connection by now.
bool MasterLogic::comes_late(const Event& what,
                             std::optional<PeerNumber> peer) const {
  const auto* wanted = std::get_if<RequestExecutors>(&what);
  if (wanted == nullptr || !peer)
    return false;
  const auto& applications = cluster_.state().applications;
  auto key = applications.find(wanted->app_id);
  if (!key)
    return false;
  auto present = connections_.find(applications.at(*key).stored.driver);
  return present && *present != *peer;
}

// -- step, commit, then send --------------------------------------------------

MasterActions MasterLogic::ask(Instant now, RequestNumber request, Event what,
                               const Speaker& who,
                               std::optional<PeerNumber> peer) {
  MasterActions out;
  // A master in STANDBY knows nothing: who asks it is to ask the next one.
  if (cluster_.status() == RecoveryState::STANDBY)
    out.push_back(
        Outbox{last_step_, {}, {Outbox::Response{request, standby_error()}}});
  else if (comes_late(what, peer))
    send(out, {},
         Outbox{last_step_,
                cluster_.epoch(),
                {Outbox::Response{request, not_alive()}}});
  else if (auto allowed = may_say(cluster_.state(), what, who); !allowed) {
    out.push_back(LogRefusal{allowed.error().message});
    send(out, {},
         Outbox{last_step_,
                cluster_.epoch(),
                {Outbox::Response{request, std::move(allowed).error()}}});
  } else {
    set_identity(what, who);
    apply(out, now, what, request);
  }
  return out;
}

MasterActions MasterLogic::ask_after_commit(RequestNumber request) {
  MasterActions out;
  send(out, {},
       Outbox{last_step_,
              cluster_.epoch(),
              {Outbox::Response{request, std::optional<Answer>{}}}});
  return out;
}

MasterActions MasterLogic::tick(Instant now) {
  MasterActions out;
  if (auto late = cluster_.state().deadlines.lateness(now);
      late && *late < stalled_when_late_by)
    stalled_ = false;
  apply(out, now, CheckForWorkerTimeOut{});
  return out;
}

MasterActions MasterLogic::beat(Instant now) {
  MasterActions out;
  if (last_beat_)
    notice_stall(out, now);
  last_beat_ = now;
  // Whoever waits for an answer meanwhile is not late.
  if (queue_.is_under_way())
    notice_stalled_store(out, now);
  auto answered = std::exchange(answered_, false);
  beats_without_answer_
      = awaits_store() && !answered ? beats_without_answer_ + 1 : 0;
  if (phase_ == Phase::contending)
    return out;
  // A leader that is idle would not see that the lead is another's: what that one
  // began before it lost the lock may be done only now.
  if (leads() && !answered && !queue_.is_under_way() && !check_under_way_) {
    check_under_way_ = true;
    out.emplace_back(CheckLeadership{term_});
  }
  // One beat may come just when something was put to the store.
  auto patience = phase_ == Phase::opening ? longest_opening / beat_every : 1;
  if (beats_without_answer_ <= patience)
    out.emplace_back(ShowLife{});
  else
    out.emplace_back(StoreHangs{beats_without_answer_});
  return out;
}

void MasterLogic::apply(MasterActions& out, Instant now, const Event& what,
                        RequestNumber request) {
  notice_stall(out, now);
  step(out, now, what, request);
}

/// Whatever is looked at first after a stall: no deadline may pass because of it.
void MasterLogic::notice_stall(MasterActions& out, Instant now) {
  auto late = cluster_.state().deadlines.lateness(now).value_or(Duration{});
  // Nothing was due, but nothing was noticed either.
  if (last_beat_ && leads()) {
    late = std::max(late, now - *last_beat_ - beat_every);
    if (late >= stalled_when_late_by)
      last_beat_ = now;
  }
  if (late < stalled_when_late_by)
    return;
  // Once: the deadlines of a master that is always late have to come, too.
  auto more = std::exchange(stalled_, true) ? Duration{} : catch_up_time;
  give_time(out, now, late + more);
}

/// All peers have so much longer.
void MasterLogic::give_time(MasterActions& out, Instant now, Duration time) {
  given_until_ = now;
  step(out, now, MasterStalled{time.count()}, 0);
}

void MasterLogic::step(MasterActions& out, Instant now, const Event& what,
                       RequestNumber request) {
  auto result = step_cluster(now, what);
  explain_standby(result.messages);
  if (result.wake_at)
    out.push_back(WakeMaster{*result.wake_at});
  auto outbox = make_outbox(cluster_, connections_, std::move(result.messages),
                            request);
  outbox.step = last_step_;
  send(out, std::move(result.changes), std::move(outbox));
}

/// The cluster does not know why it does not lead.
void MasterLogic::explain_standby(OutgoingMessages& messages) const {
  if (cluster_.status() != RecoveryState::STANDBY)
    return;
  for (auto& message : messages)
    if (auto* sent = std::get_if<Send>(&message))
      if (auto* standby = std::get_if<MasterInStandby>(&sent->message))
        standby->message = standby_error().message;
}

StepResult MasterLogic::step_cluster(Instant now, const Event& what) {
  auto result = cluster_.step(now, what);
  ++last_step_;
  if (observer_ != nullptr)
    observer_->stepped(cluster_, sender_of(what), what, result);
  return result;
}

void MasterLogic::send(MasterActions& out, Changes changes, Outbox outbox) {
  if (changes.empty() && outbox.items.empty())
    return;
  if (auto sent
      = queue_.push(cluster_.now(), std::move(changes), std::move(outbox)))
    out.push_back(*std::move(sent));
  commit(out);
}

void MasterLogic::commit(MasterActions& out) {
  if (auto changes = queue_.begin())
    out.push_back(CommitBatch{term_, std::move(changes)});
}

MasterActions MasterLogic::on(Instant now, const BatchCommitted& x) {
  if (x.term != term_)
    return {};
  if (!x.status)
    return stand_by(now, x.status.error().message);
  MasterActions out;
  answered_ = true;
  notice_stalled_store(out, now, catch_up_time);
  auto done = queue_.committed();
  // While the store works on, so does the sender.
  commit(out);
  out.push_back(
      PublishBatch{cluster_.epoch(), ++committed_, std::move(done.changes)});
  for (auto& outbox : done.outboxes)
    out.push_back(std::move(outbox));
  return out;
}

MasterActions MasterLogic::on(Instant now, const LeadershipChecked& x) {
  if (x.term != term_ || !leads())
    return {};
  check_under_way_ = false;
  return x.status ? MasterActions{} : stand_by(now, x.status.error().message);
}

/// Peers that are told nothing while commits are under way have their time again.
void MasterLogic::notice_stalled_store(MasterActions& out, Instant now,
                                       Duration more) {
  auto since = queue_.waiting_since();
  if (now - since >= store_stalled_when)
    give_time(out, now, now - std::max(since, given_until_) + more);
}

} // namespace stoker
