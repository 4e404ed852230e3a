#include "simulation/application_process.hpp"

#include <algorithm>
#include <utility>

#include "simulation/master_process.hpp"
#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

constexpr Duration master_patience = std::chrono::seconds{10};

} // namespace

ApplicationProcess::ApplicationProcess(EventQueue& queue, std::string name,
                                       std::uint64_t seed,
                                       ApplicationDescription description,
                                       Network& network,
                                       std::vector<MasterProcess*> masters,
                                       Referee& referee)
    : Peer(queue, name), dice_(seed, name),
      description_(std::move(description)), endpoint_{"endpoint-" + name},
      network_(network), masters_(std::move(masters)), referee_(referee) {
}

// -- life ---------------------------------------------------------------------

void ApplicationProcess::start() {
  begin_life();
  ApplicationSessionConfig config;
  config.description = description_;
  config.endpoint = endpoint_;
  config.registration.masters = masters_.size();
  config.registration.seed = static_cast<std::uint64_t>(dice_.between(1, 1000));
  node_.emplace(std::move(config));
  apply(ApplicationStarted{});
}

void ApplicationProcess::crash() {
  if (!up())
    return;
  end_life();
  network_.drop(*this);
  link_.reset();
  ++connection_;
}

void ApplicationProcess::leave() {
  if (up() && !paused()) {
    referee_.leaves(*this);
    apply(ApplicationStopRequested{});
  }
}

void ApplicationProcess::ask_for(int executors) {
  if (up() && !paused() && link_ && app_id())
    network_.say(link_, RequestExecutors{*app_id(), executors, std::nullopt},
                 next_request_++);
}

void ApplicationProcess::kill_any_executor() {
  if (!up() || paused() || !link_ || !app_id() || executors_.empty())
    return;
  auto n = dice_.between(0, static_cast<std::int64_t>(executors_.size()) - 1);
  auto exec_id = std::next(executors_.begin(), n)->first;
  referee_.kills({*app_id(), exec_id});
  network_.say(link_, KillExecutors{*app_id(), {exec_id}}, next_request_++);
}

bool ApplicationProcess::connected_to(const MasterProcess& x) const {
  return link_ && !link_->broken && link_->server == &x
         && !network_.is_cut(*this, x);
}

// -- the master ---------------------------------------------------------------

void ApplicationProcess::hear(const LinkPtr& link, LeaderEpoch from,
                              const Statement& x) {
  // Of one that it has left.
  if (link != link_)
    return;
  hears_outdated_ = from != LeaderEpoch{} && from < heard_;
  heard_ = std::max(heard_, from);
  if (const auto* notice = std::get_if<MasterMessage>(&x)) {
    std::visit(
        [&](const auto& y) {
          if constexpr (requires { ApplicationEvent{y}; })
            apply(y, from);
          else
            referee_.fail(name() + " hears what is meant for workers");
        },
        *notice);
  } else if (const auto* answered = std::get_if<Answered>(&x)) {
    if (leaving_ == answered->request) {
      leaving_.reset();
      apply(UnregisterAnswered{answered->answer
                               && std::get<bool>(*answered->answer)});
    }
  } else {
    referee_.fail(name() + " is told to launch something");
  }
  hears_outdated_ = false;
}

void ApplicationProcess::link_broke(const LinkPtr& link) {
  if (link != link_)
    return;
  link_.reset();
  registered_since_.reset();
  apply(MasterDisconnected{});
}

void ApplicationProcess::apply(const ApplicationEvent& x, LeaderEpoch from) {
  referee_.stats().count_event("application", x);
  auto life_then = life();
  for (const auto& effect : node_->step(now(), x, from))
    if (up() && life() == life_then)
      std::visit([this](const auto& y) { apply(y); }, effect);
}

void ApplicationProcess::apply(const ConnectToMaster& x) {
  link_.reset();
  registered_since_.reset();
  auto attempt = ++connection_;
  network_.connect(*this, *masters_.at(x.master),
                   [this, attempt](const LinkPtr& found) {
                     if (attempt != connection_)
                       return;
                     // It may have broken before it was known here.
                     link_ = found && !found->broken ? found : nullptr;
                     if (link_)
                       apply(MasterConnected{});
                     else
                       apply(MasterConnectionFailed{"refused"});
                   });
}

void ApplicationProcess::apply(const SendApplicationMessage& x) {
  if (link_)
    std::visit([&](const auto& y) { network_.say(link_, y); }, x.message);
}

void ApplicationProcess::apply(const AskToLeave& x) {
  leaving_ = next_request_++;
  after(master_patience, [this, request = leaving_] {
    if (leaving_ == request)
      apply(UnregisterAnswered{});
  });
  if (link_)
    network_.say(link_, x.message, *leaving_);
}

void ApplicationProcess::apply(const InformApplication& x) {
  if (hears_outdated_
      && !std::holds_alternative<ApplicationDisconnected>(x.news))
    referee_.fail(name() + " believes a replaced leader");
  std::visit([this](const auto& y) { learn(y); }, x.news);
}

void ApplicationProcess::apply(const ApplicationWakeAt& x) {
  at(x.when, [this] { apply(ApplicationTick{}); });
}

void ApplicationProcess::apply(const EndApplicationSession& x) {
  if (x.left)
    referee_.stats().count("applications that have left");
  crash();
}

// -- news ---------------------------------------------------------------------

void ApplicationProcess::learn(const ApplicationConnected& x) {
  registered_since_ = queue().now();
  referee_.registered(*this, x.id);
}

void ApplicationProcess::learn(const ApplicationDisconnected&) {
  registered_since_.reset();
}

void ApplicationProcess::learn(const ApplicationSearches&) {
}

void ApplicationProcess::learn(const ApplicationDead& x) {
  dead_ = x.reason;
  referee_.dead(*this, x.reason);
  after(dice_.lasting(Duration{1}, std::chrono::seconds{1}),
        [this] { apply(ApplicationStopRequested{}); });
}

void ApplicationProcess::learn(const ExecutorAdded& x) {
  executors_[x.id] = x.index;
}

void ApplicationProcess::learn(const ExecutorUpdated& x) {
  auto i = executors_.find(x.id);
  if (i == executors_.end() || !is_finished(x.state))
    return;
  auto index = i->second;
  executors_.erase(i);
  if (!index || x.state != ExecutorState::EXITED || x.exit_status != 0)
    return;
  done_.insert(*index);
  if (description_.instances
      && done_.size()
             == static_cast<std::size_t>(description_.instances->count))
    after(Duration{1}, [this] { leave(); });
}

void ApplicationProcess::learn(const WorkerRemoved&) {
}

} // namespace stoker::simulation
