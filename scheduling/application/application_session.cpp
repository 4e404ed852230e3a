#include "scheduling/application/application_session.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/common/application_heartbeat.hpp"

namespace stoker {

ApplicationSession::ApplicationSession(ApplicationSessionConfig config)
    : config_(std::move(config)), link_(config_.registration),
      app_id_(config_.app_id) {
}

ApplicationEffects ApplicationSession::step(Instant now,
                                            const ApplicationEvent& what) {
  assert(now >= now_);
  now_ = now;
  if (phase_ != Phase::ended)
    std::visit([this](const auto& x) { on(x); }, what);
  return finish_step();
}

ApplicationEffects ApplicationSession::hear(Instant now,
                                            const MessageOrigin& from,
                                            const MessageToApplication& what) {
  assert(now >= now_);
  now_ = now;
  if (phase_ == Phase::ended)
    return {};
  switch (link_.admit(from)) {
  case MasterLink::Admission::ignore:
    break;
  case MasterLink::Admission::search_on:
    search_on(master_deposed);
    break;
  case MasterLink::Admission::accept:
    std::visit([this](const auto& x) { on(x); }, what);
    break;
  }
  return finish_step();
}

ApplicationEffects ApplicationSession::finish_step() {
  if (phase_ != Phase::ended)
    if (auto when = wake_up_.ask_for(earlier(link_.due(), heartbeat_due_)))
      out_.push_back(ApplicationWakeAt{*when});
  return std::exchange(out_, {});
}

// -- the connection -----------------------------------------------------------

void ApplicationSession::on(const ApplicationStarted&) {
  act(link_.start(now_));
}

void ApplicationSession::on(const MasterConnected& x) {
  act(link_.on(now_, x));
}

void ApplicationSession::on(const MasterConnectionFailed& x) {
  act(link_.on(now_, x));
}

void ApplicationSession::on(const MasterDisconnected& x) {
  if (!link_.is_present(x))
    return;
  auto next = link_.on(now_, x);
  if (phase_ == Phase::leaving)
    return end(false);
  if (phase_ == Phase::active && link_.breaks() == 1)
    inform(ApplicationDisconnected{connection_broke});
  act(next);
}

void ApplicationSession::on(const MasterInStandby& x) {
  search_on(reason_of(x));
}

void ApplicationSession::on(const RegisteredApplication& x) {
  if (phase_ == Phase::over)
    return;
  accepted();
  hears_all_ = true;
  told_ = {};
  app_id_ = x.app_id;
  inform(ApplicationConnected{x.app_id, link_.epoch()});
  send_report();
}

void ApplicationSession::on(const ReconnectApplication&) {
  if (phase_ != Phase::over)
    act(link_.register_again(now_));
}

void ApplicationSession::accepted() {
  link_.registered();
  // An answer that came too late ends no search.
  told_of_search_ = told_of_search_ && !link_.is_registered();
  heartbeat_due_ = now_ + application_heartbeat_interval;
}

void ApplicationSession::on(const MasterChanged&) {
  accepted();
  if (!app_id_)
    return;
  out_.push_back(SendApplicationMessage{
      MasterChangeAcknowledged{*app_id_, config_.endpoint}});
  if (phase_ == Phase::active)
    inform(ApplicationLeaderChanged{link_.epoch()});
}

void ApplicationSession::search_on(const std::string& reason) {
  if (link_.is_registered())
    inform(ApplicationDisconnected{reason});
  act(link_.search_on(now_, reason));
}

void ApplicationSession::act(const MasterLink::Action& action) {
  if (const auto* connect = std::get_if<ConnectToMaster>(&action)) {
    hears_all_ = false;
    out_.push_back(*connect);
  } else if (std::holds_alternative<MasterLink::Register>(action)) {
    out_.push_back(SendApplicationMessage{RegisterApplication{
        config_.description, config_.endpoint, app_id_,
        ConnectionStamp{config_.life, link_.connection()}}});
  } else if (const auto* over = std::get_if<MasterLink::GiveUp>(&action)) {
    inform(
        ApplicationDead{EndReason::master_lost, "no master: " + over->reason});
    end(false);
  } else if (!link_.failed_round().empty()
             && !std::exchange(told_of_search_, true)) {
    inform(ApplicationSearches{link_.failed_round()});
  }
}

// -- news ---------------------------------------------------------------------

void ApplicationSession::inform(ApplicationNews news) {
  out_.push_back(InformApplication{std::move(news)});
}

void ApplicationSession::on(const WorkerRemoved& x) {
  inform(x);
}

void ApplicationSession::on(const ExecutorAdded& x) {
  inform(x);
}

void ApplicationSession::on(const ExecutorUpdated& x) {
  inform(x);
  if (!hears_all_)
    return;
  heard_ = std::max(heard_, x.end_number);
  if (heard_.value - told_.value >= ends_per_heartbeat && heartbeat_due_)
    send_heartbeat();
}

void ApplicationSession::on(const ReportJobs& x) {
  report_ = x;
  send_report();
}

void ApplicationSession::send_report() {
  if (!report_ || !app_id_ || phase_ != Phase::active || !link_.is_registered())
    return;
  report_->app_id = *app_id_;
  out_.push_back(SendApplicationMessage{*report_});
}

// -- the end ------------------------------------------------------------------

void ApplicationSession::on(const ApplicationRemoved& x) {
  if (phase_ == Phase::over)
    return;
  inform(ApplicationDead{app_id_ ? EndReason::removed : EndReason::refused,
                         x.message});
  if (phase_ == Phase::leaving)
    return end(true);
  phase_ = Phase::over;
  heartbeat_due_.reset();
  link_.stop_searching();
}

void ApplicationSession::on(const ApplicationStopRequested& x) {
  if (!link_.is_connected() || !app_id_ || phase_ == Phase::over)
    return end(false);
  if (std::exchange(phase_, Phase::leaving) == Phase::active)
    out_.push_back(
        AskToLeave{UnregisterApplication{*app_id_, x.interrupted, x.failure}});
}

void ApplicationSession::on(const UnregisterAnswered& x) {
  end(x.left);
}

void ApplicationSession::end(bool left) {
  phase_ = Phase::ended;
  out_.push_back(EndApplicationSession{left});
}

// -- time ---------------------------------------------------------------------

void ApplicationSession::on(const ApplicationTick&) {
  wake_up_.came(now_);
  act(link_.tick(now_));
  if (!heartbeat_due_ || *heartbeat_due_ > now_)
    return;
  heartbeat_due_.reset();
  if (!link_.is_registered())
    return;
  send_heartbeat();
}

void ApplicationSession::send_heartbeat() {
  told_ = heard_;
  out_.push_back(
      SendApplicationMessage{ApplicationHeartbeat{config_.endpoint, heard_}});
  heartbeat_due_ = now_ + application_heartbeat_interval;
}

} // namespace stoker
