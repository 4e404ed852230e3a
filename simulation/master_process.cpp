#include "simulation/master_process.hpp"

#include <utility>

#include "scheduling/master/snapshot.hpp"
#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

constexpr Duration lock_interval = std::chrono::milliseconds{20};
constexpr Duration check_interval = std::chrono::seconds{1};
constexpr Duration pause_after_failure = std::chrono::seconds{1};

/// How the endpoint is called that a message makes known, if it does.
struct Introduction {
  const EndpointId* operator()(const RegisterWorker& x) const {
    return &x.worker;
  }
  const EndpointId* operator()(const Heartbeat& x) const {
    return &x.worker;
  }
  const EndpointId* operator()(const RegisterApplication& x) const {
    return &x.driver;
  }
  template <class T>
  const EndpointId* operator()(const T&) const {
    return nullptr;
  }
};

bool is_request(const Event& x) {
  return std::holds_alternative<RequestSubmitDriver>(x)
         || std::holds_alternative<RequestKillDriver>(x)
         || std::holds_alternative<RequestKillApplication>(x)
         || std::holds_alternative<DecommissionWorkers>(x)
         || std::holds_alternative<RequestExecutors>(x)
         || std::holds_alternative<KillExecutors>(x)
         || std::holds_alternative<UnregisterApplication>(x)
         || std::holds_alternative<ExecutorStateChanged>(x);
}

} // namespace

MasterProcess::MasterProcess(EventQueue& queue, std::string name,
                             std::uint64_t seed, ClusterConfig config,
                             Network& network, SharedDirectory& directory,
                             Referee& referee)
    : Server(queue, name), dice_(seed, name), config_(std::move(config)),
      network_(network), directory_(directory), referee_(referee) {
}

// -- life ---------------------------------------------------------------------

void MasterProcess::start() {
  begin_life();
  changes_made_ = changes_committed_ = 0;
  connections_.clear();
  cluster_.emplace(config_);
  wait_for_lock();
}

void MasterProcess::crash() {
  if (!up())
    return;
  // The kernel lets go of the lock of a process that is gone.
  if (hold_)
    directory_.unlock(*std::exchange(hold_, std::nullopt));
  leading_ = false;
  ++term_;
  queue_to_commit_ = Queue{};
  end_life();
  network_.drop(*this);
}

void MasterProcess::wait_for_lock() {
  hold_ = directory_.try_lock();
  if (hold_)
    return open();
  // As if it tried every now and then, without an event for each time.
  directory_.when_free([this, life_then = life()] {
    queue().after(dice_.lasting(Duration{0}, lock_interval),
                  [=, this] { run(life_then, [this] { wait_for_lock(); }); });
  });
}

void MasterProcess::open() {
  auto pause = dice_.lasting(Duration{1}, Duration{20});
  after(pause + directory_.extra_delay, [this] {
    auto begun = directory_.lead();
    if (!begun)
      return step_down();
    ++term_;
    leading_ = true;
    referee_.leads(*this, begun->epoch);
    apply(ElectedLeader{begun->epoch, std::move(begun->stored)});
    referee_.took_over(*this);
    check_lock();
  });
}

void MasterProcess::step_down() {
  ++term_;
  leading_ = false;
  queue_to_commit_ = Queue{};
  changes_made_ = changes_committed_ = 0;
  cluster_.emplace(config_);
  for (const auto& [endpoint, link] : connections_)
    network_.tell(link, {}, MasterMessage{MasterInStandby{}});
  if (hold_)
    directory_.unlock(*std::exchange(hold_, std::nullopt));
  referee_.stats().count("masters that stepped down");
  after(pause_after_failure, [this] { wait_for_lock(); });
}

void MasterProcess::check_lock() {
  if (!leading_)
    return;
  if (!directory_.holds(*hold_) && queue().now() >= overlooks_until_)
    return step_down();
  after(check_interval, [this, term = term_] {
    if (term == term_)
      check_lock();
  });
}

// -- connections --------------------------------------------------------------

void MasterProcess::hear(const LinkPtr& link, const Event& x,
                         std::uint64_t request) {
  if (const auto* endpoint = std::visit(Introduction{}, x))
    connections_[*endpoint] = link;
  apply(x, link, request);
}

void MasterProcess::link_broke(const LinkPtr& link) {
  std::vector<EndpointId> lost;
  for (const auto& [endpoint, current] : connections_)
    if (current == link)
      lost.push_back(endpoint);
  for (const auto& endpoint : lost) {
    connections_.erase(endpoint);
    apply(EndpointLost{endpoint});
  }
}

void MasterProcess::reload(const TenantsConfig& tenants) {
  if (up() && !paused())
    apply(ReconfigureTenants{tenants});
}

// -- step, commit, then speak -------------------------------------------------

void MasterProcess::apply(const Event& x, const LinkPtr& link,
                          std::uint64_t request) {
  auto result = cluster_->step(now(), x);
  referee_.stepped(*this, x, result);
  take(result, link, request);
  // A master that does not lead says so, instead of an answer.
  if (is_request(x) && link && !leading_)
    network_.tell(link, {}, Answered{request, std::nullopt});
}

void MasterProcess::take(const StepResult& result, const LinkPtr& link,
                         std::uint64_t request) {
  Speech speech;
  auto say = [&](const EndpointId& to, Statement x) {
    // It is for the connection that there is now: whatever has to be committed
    // first, it must not reach its peer over a later one, after what was said
    // there since.
    if (auto i = connections_.find(to); i != connections_.end())
      speech.words.push_back(
          [this, to = i->second, epoch = cluster_->epoch(), x = std::move(x)] {
            network_.tell(to, epoch, x);
          });
  };
  if (result.wake_at)
    at(*result.wake_at, [this] { apply(CheckForWorkerTimeOut{}); });
  for (const auto& effect : result.messages) {
    if (const auto* reply = std::get_if<Reply>(&effect)) {
      if (link)
        speech.words.push_back(
            [=, this, epoch = cluster_->epoch(), answer = reply->answer] {
              network_.tell(link, epoch, Answered{request, answer});
            });
    } else if (const auto* send = std::get_if<Send>(&effect)) {
      say(send->to, send->message);
    } else if (const auto* start = std::get_if<StartExecutor>(&effect)) {
      if (const auto* x = find_description(cluster_->state(), start->app_id))
        say(start->to,
            LaunchExecutor{config_.master_url, start->app_id, start->exec_id,
                           *x, start->cores, start->memory_mb, start->index,
                           start->resources});
    } else if (const auto* driver = std::get_if<StartDriver>(&effect)) {
      if (const auto* x
          = find_description(cluster_->state(), driver->driver_id))
        say(driver->to, LaunchDriver{driver->driver_id, *x, driver->resources});
    }
  }
  changes_made_ += result.changes.size();
  speech.changes_needed = changes_made_;
  speak(queue_to_commit_.push(result.changes, std::move(speech)));
  commit_more();
}

void MasterProcess::commit_more() {
  auto changes = queue_to_commit_.begin();
  if (!changes)
    return;
  auto still = [this, term = term_](auto&& what) {
    return [=, this] {
      if (term == term_)
        what();
    };
  };
  auto pause = dice_.lasting(Duration{0}, Duration{4}) + directory_.extra_delay;
  auto answer = dice_.lasting(Duration{0}, Duration{2});
  // Written first, and known to be written a little later: a master may die in
  // between.
  after(pause, still([=, this, by = cluster_->epoch()] {
          if (!directory_.commit(by, *changes))
            return step_down();
          changes_committed_ += changes->size();
          referee_.committed(*this, by, *changes);
          after(answer, still([this] { committed(); }));
        }));
}

void MasterProcess::committed() {
  speak(queue_to_commit_.committed());
  commit_more();
}

void MasterProcess::speak(const std::vector<Speech>& speeches) {
  for (const auto& speech : speeches) {
    if (speech.changes_needed > changes_committed_)
      referee_.fail(name() + " speaks of what is not committed");
    for (const auto& word : speech.words)
      word();
  }
}

} // namespace stoker::simulation
