#include "scheduling/application/application_session.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

ApplicationSession::ApplicationSession(ApplicationSessionConfig config)
    : config_(std::move(config)), registration_(config_.registration) {
}

ApplicationEffects ApplicationSession::step(Instant now,
                                            const ApplicationEvent& what,
                                            LeaderEpoch from) {
  assert(now >= now_);
  now_ = now;
  auto outdated = from != LeaderEpoch{} && from < epoch_;
  epoch_ = std::max(epoch_, from);
  if (!ended_) {
    if (outdated)
      search_on("the master has been replaced");
    else
      std::visit([this](const auto& x) { on(x); }, what);
  }
  if (!ended_)
    arm();
  return std::exchange(out_, {});
}

// -- the connection -----------------------------------------------------------

void ApplicationSession::on(const ApplicationStarted&) {
  act(registration_.start(now_));
}

void ApplicationSession::on(const MasterConnected&) {
  connected_ = true;
  act(registration_.connected(now_));
}

void ApplicationSession::on(const MasterConnectionFailed& x) {
  auto next = registration_.failed(now_, x.reason);
  if (!std::holds_alternative<Registration::GiveUp>(next)
      && !std::exchange(told_of_search_, true))
    inform(ApplicationSearches{x.reason});
  act(next);
}

void ApplicationSession::on(const MasterDisconnected&) {
  connected_ = false;
  if (leaving_)
    return end(false);
  if (over_)
    return;
  const std::string reason = "the connection to the master broke";
  inform(ApplicationDisconnected{reason});
  act(registration_.failed(now_, reason));
}

void ApplicationSession::on(const MasterInStandby&) {
  search_on("the master is STANDBY");
}

void ApplicationSession::on(const RegisteredApplication& x) {
  if (over_)
    return;
  registration_.registered();
  told_of_search_ = false;
  app_id_ = x.app_id;
  inform(ApplicationConnected{x.app_id});
}

void ApplicationSession::on(const MasterChanged&) {
  registration_.registered();
  if (app_id_ && connected_)
    out_.push_back(SendApplicationMessage{MasterChangeAcknowledged{*app_id_}});
}

void ApplicationSession::search_on(const std::string& reason) {
  if (over_)
    return;
  if (registration_.phase() == Registration::Phase::registered)
    inform(ApplicationDisconnected{reason});
  act(registration_.failed(now_, reason));
}

void ApplicationSession::act(const Registration::Action& action) {
  if (const auto* connect = std::get_if<Registration::Connect>(&action)) {
    connected_ = false;
    out_.push_back(ConnectToMaster{connect->master});
  } else if (std::holds_alternative<Registration::Register>(action)) {
    out_.push_back(SendApplicationMessage{
        RegisterApplication{config_.description, config_.endpoint, app_id_}});
  } else if (const auto* over = std::get_if<Registration::GiveUp>(&action)) {
    inform(ApplicationDead{"no master: " + over->reason});
    end(false);
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
}

// -- the end ------------------------------------------------------------------

void ApplicationSession::on(const ApplicationRemoved& x) {
  if (std::exchange(over_, true))
    return;
  inform(ApplicationDead{x.message});
  if (leaving_)
    end(true);
}

void ApplicationSession::on(const ApplicationStopRequested&) {
  if (!connected_ || !app_id_ || over_)
    return end(false);
  if (!std::exchange(leaving_, true))
    out_.push_back(AskToLeave{UnregisterApplication{*app_id_}});
}

void ApplicationSession::on(const UnregisterAnswered& x) {
  end(x.left);
}

void ApplicationSession::end(bool left) {
  ended_ = true;
  out_.push_back(EndApplicationSession{left});
}

// -- time ---------------------------------------------------------------------

void ApplicationSession::on(const ApplicationTick&) {
  if (!over_)
    act(registration_.tick(now_));
}

void ApplicationSession::arm() {
  auto due = registration_.due();
  if (!due || due == armed_for_)
    return;
  armed_for_ = due;
  out_.push_back(ApplicationWakeAt{*due});
}

} // namespace stoker
