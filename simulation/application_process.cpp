#include "simulation/application_process.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "simulation/master_process.hpp"
#include "simulation/referee.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

constexpr Duration master_patience = std::chrono::seconds{10};

/// A worker may take as long as its master waits for it, besides what was asked for.
constexpr Duration worker_patience = std::chrono::seconds{20};

} // namespace

ApplicationProcess::ApplicationProcess(
    EventQueue& queue, const std::string& name, std::uint64_t seed,
    ApplicationDescription description, const std::optional<Elastic>& elastic,
    Network& network, std::vector<MasterProcess*> masters, Referee& referee)
    : Peer(queue, name), dice_(seed, name),
      description_(std::move(description)), endpoint_{"endpoint-" + name},
      network_(network), referee_(referee),
      connection_(*this, network, std::move(masters),
                  [this](const ConnectionEvent& x) { report(x); }) {
  if (elastic)
    elastic_ = std::make_unique<ElasticDriver>(
        *this, seed, elastic->settings,
        [this](Event x, ElasticDriver::OnAnswer on_answer) {
          ask_master(std::move(x), std::move(on_answer));
        },
        elastic->stop_executor, referee);
}

void ApplicationProcess::read_output(OutputCarrier& carrier) {
  reading_ = std::make_unique<OutputReading>(
      *this, description_.instances.value(), referee_.outputs(),
      [this, &carrier](const RequestOutput& x,
                       OutputReading::OnAnswer on_answer) {
        ask_worker(carrier, x, std::move(on_answer));
      },
      [this] {
        after(Duration{1}, [this] {
          if (app_id())
            referee_.outputs().leaves(*app_id(), *reading_);
          if (dead_.empty())
            leave();
          else
            apply(ApplicationStopRequested{});
        });
      });
}

// -- life ---------------------------------------------------------------------

void ApplicationProcess::start() {
  begin_life();
  ApplicationSessionConfig config;
  config.description = description_;
  config.endpoint = endpoint_;
  config.registration.masters = connection_.masters();
  config.registration.seed = static_cast<std::uint64_t>(dice_.between(1, 1000));
  session_.emplace(std::move(config));
  if (elastic_)
    elastic_->start();
  apply(ApplicationStarted{});
}

void ApplicationProcess::crash() {
  if (!up())
    return;
  end_life();
  network_.drop(*this);
  connection_.drop();
  asked_.clear();
  asked_workers_.clear();
}

void ApplicationProcess::leave() {
  if (up() && !paused()) {
    referee_.leaves(*this);
    apply(ApplicationStopRequested{});
  }
}

void ApplicationProcess::ask_for(int executors, std::optional<int> gang) {
  if (up() && !paused() && !elastic_ && connection_.link() && app_id())
    network_.say(connection_.link(),
                 RequestExecutors{*app_id(), executors, std::nullopt, gang},
                 next_request_++);
}

void ApplicationProcess::kill_any_executor() {
  if (!up() || paused() || !connection_.link() || !app_id()
      || executors_.empty())
    return;
  auto n = dice_.between(0, static_cast<std::int64_t>(executors_.size()) - 1);
  auto exec_id = std::next(executors_.begin(), n)->first;
  referee_.kills({*app_id(), exec_id});
  network_.say(connection_.link(), KillExecutors{*app_id(), {exec_id}},
               next_request_++);
}

void ApplicationProcess::burst(int tasks, Duration longest) {
  if (up() && elastic_)
    elastic_->burst(tasks, longest);
}

void ApplicationProcess::cancel_load() {
  if (up() && elastic_)
    elastic_->cancel();
}

void ApplicationProcess::executor_connects(int exec_id) {
  if (up() && elastic_)
    elastic_->executor_connects(exec_id);
}

void ApplicationProcess::executor_is_gone(int exec_id) {
  if (up() && elastic_)
    elastic_->executor_is_gone(exec_id);
}

// -- the master ---------------------------------------------------------------

/// Asks in the name of this application.
void ApplicationProcess::ask_master(Event x,
                                    ElasticDriver::OnAnswer on_answer) {
  if (!connection_.link() || !app_id())
    return on_answer(std::nullopt);
  if (auto* total = std::get_if<RequestExecutors>(&x))
    total->app_id = *app_id();
  else if (auto* kills = std::get_if<KillExecutors>(&x)) {
    kills->app_id = *app_id();
    for (auto exec_id : kills->executor_ids)
      referee_.kills({*app_id(), exec_id});
  }
  auto number = next_request_++;
  asked_.emplace(number, std::move(on_answer));
  after(master_patience, [this, number] {
    if (auto asked = asked_.extract(number); !asked.empty())
      asked.mapped()(std::nullopt);
  });
  network_.say(connection_.link(), std::move(x), number);
}

/// Asks for output, by way of the master.
void ApplicationProcess::ask_worker(OutputCarrier& carrier,
                                    const RequestOutput& x,
                                    OutputReading::OnAnswer on_answer) {
  auto number = next_request_++;
  asked_workers_.emplace(number, std::move(on_answer));
  auto answered = [this, number](Result<OutputResponse> y) {
    if (auto asked = asked_workers_.extract(number); !asked.empty())
      asked.mapped()(std::move(y));
  };
  Error no_answer{Errc::no_answer, "the worker does not answer"};
  if (!connection_.link())
    return after(Duration{1}, [=] { answered(no_answer); });
  after(worker_patience + wait_of(x), [=] { answered(no_answer); });
  carrier.ask(*this, x, answered);
}

/// The master that was asked will not answer any more.
void ApplicationProcess::abandon_requests() {
  for (const auto& [number, on_answer] : std::exchange(asked_workers_, {}))
    on_answer(Error{Errc::no_answer, "the connection broke"});
  for (const auto& [number, on_answer] : std::exchange(asked_, {}))
    on_answer(std::nullopt);
}

void ApplicationProcess::hear(const LinkPtr& link, LeaderEpoch from,
                              const Statement& x) {
  auto origin = connection_.origin(link, from);
  if (const auto* answered = std::get_if<Answered>(&x)) {
    if (link == connection_.link() && leaving_ == answered->request) {
      leaving_.reset();
      apply(UnregisterAnswered{answered->answer
                               && std::get<bool>(*answered->answer)});
    }
    if (link == connection_.link())
      if (auto asked = asked_.extract(answered->request); !asked.empty())
        asked.mapped()(answered->answer
                           ? std::optional{std::get<bool>(*answered->answer)}
                           : std::nullopt);
    return;
  }
  // Judged here a second time, on purpose: the session has to come to the same.
  has_to_ignore_
      = link != connection_.link() || (from != LeaderEpoch{} && from < heard_);
  if (!has_to_ignore_)
    heard_ = std::max(heard_, from);
  if (const auto* message = std::get_if<MasterMessage>(&x)) {
    std::visit(
        [&](const auto& y) {
          if constexpr (requires { MessageToApplication{y}; })
            believe(origin, y);
          else
            fail(name() + " hears what is meant for workers");
        },
        *message);
  } else {
    fail(name() + " is told to launch something");
  }
  has_to_ignore_ = false;
}

void ApplicationProcess::link_broke(const LinkPtr& link) {
  connection_.link_broke(link);
}

void ApplicationProcess::report(const ConnectionEvent& x) {
  if (std::holds_alternative<MasterDisconnected>(x)) {
    registered_since_.reset();
    abandon_requests();
  }
  std::visit([this](const auto& y) { apply(y); }, x);
}

void ApplicationProcess::believe(const MessageOrigin& from,
                                 const MessageToApplication& x) {
  referee_.stats().count_event("application", x);
  carry_out(session_->hear(now(), from, x));
}

void ApplicationProcess::apply(const ApplicationEvent& x) {
  referee_.stats().count_event("application", x);
  carry_out(session_->step(now(), x));
}

void ApplicationProcess::carry_out(const ApplicationEffects& effects) {
  auto life_then = life();
  for (const auto& effect : effects)
    if (up() && life() == life_then)
      std::visit([this](const auto& y) { apply(y); }, effect);
}

void ApplicationProcess::apply(const ConnectToMaster& x) {
  registered_since_.reset();
  abandon_requests();
  connection_.open(x);
}

void ApplicationProcess::apply(const SendApplicationMessage& x) {
  const auto& link = connection_.link();
  if (!link)
    return;
  std::visit(
      [&]<class T>(const T& y) {
        // It decides nothing, and is no event of a master.
        if constexpr (!std::is_same_v<T, ReportJobs>)
          network_.say(link, y);
      },
      x.message);
}

void ApplicationProcess::apply(const AskToLeave& x) {
  leaving_ = next_request_++;
  after(master_patience, [this, request = leaving_] {
    if (leaving_ == request)
      apply(UnregisterAnswered{});
  });
  if (const auto& link = connection_.link())
    network_.say(link, x.message, *leaving_);
}

void ApplicationProcess::apply(const InformApplication& x) {
  // That it looks for another one is right.
  if (has_to_ignore_ && !std::holds_alternative<ApplicationDisconnected>(x.news)
      && !std::holds_alternative<ApplicationSearches>(x.news))
    fail(name() + " believes a replaced leader");
  if (elastic_)
    elastic_->hear(x.news);
  if (reading_)
    learn_of_output(x.news);
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

void ApplicationProcess::learn_of_output(const ApplicationNews& x) {
  std::visit(
      [this](const auto& y) {
        if constexpr (requires { reading_->learn(y); })
          reading_->learn(y);
      },
      x);
}

void ApplicationProcess::learn(const ApplicationConnected& x) {
  registered_since_ = queue().now();
  referee_.registered(*this, x.id);
}

void ApplicationProcess::learn(const ApplicationLeaderChanged&) {
}

void ApplicationProcess::learn(const ApplicationDisconnected&) {
  registered_since_.reset();
}

void ApplicationProcess::learn(const ApplicationSearches&) {
}

void ApplicationProcess::learn(const ApplicationDead& x) {
  dead_ = x.message;
  referee_.dead(*this, x);
  // It reads the last words of its instances first.
  if (reading_)
    return;
  after(dice_.lasting(Duration{1}, std::chrono::seconds{1}),
        [this] { apply(ApplicationStopRequested{}); });
}

void ApplicationProcess::learn(const ExecutorAdded& x) {
  executors_[x.id] = x.index;
}

void ApplicationProcess::learn(const ExecutorUpdated& x) {
  if (x.state != ExecutorState::LOST)
    executors_.insert(lost_.extract(x.id));
  auto i = executors_.find(x.id);
  if (i == executors_.end() || !is_finished(x.state))
    return;
  if (x.state == ExecutorState::LOST) {
    lost_.insert(executors_.extract(i));
    return;
  }
  auto index = i->second;
  executors_.erase(i);
  if (!index || x.state != ExecutorState::EXITED || x.exit_status != 0)
    return;
  done_.insert(*index);
  if (description_.instances && !reading_
      && done_.size()
             == static_cast<std::size_t>(description_.instances->count))
    after(Duration{1}, [this] { leave(); });
}

void ApplicationProcess::learn(const WorkerRemoved&) {
}

} // namespace stoker::simulation
