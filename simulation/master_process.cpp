#include "simulation/master_process.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "scheduling/leadership/leadership_timing.hpp"
#include "simulation/referee.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

/// In beats: as `stoker master` has them by default.
constexpr int leader_patience = 12;
constexpr int store_patience = 10;

/// So many beats suffice to see that the lead is another's.
constexpr int beats_to_look = 3;

} // namespace

MasterProcess::MasterProcess(EventQueue& queue, const std::string& name,
                             std::uint64_t seed, ClusterConfig config,
                             Network& network, SharedDirectory& directory,
                             Referee& referee)
    : Server(queue, name), dice_(seed, name), config_(std::move(config)),
      network_(network), directory_(directory), referee_(referee) {
}

// -- life ---------------------------------------------------------------------

void MasterProcess::start() {
  begin_life();
  actions_ = {};
  journal_.emplace(directory_.journal_factory());
  feed_ = ChangeFeed{};
  links_.clear();
  registered_.clear();
  requests_.clear();
  disk_busy_until_ = queue().now();
  steps_ = 0;
  StepObserver* observer = this;
  logic_.emplace(config_, observer);
  watches_ = false;
  deposed_for_beats_ = 0;
  after(beat_every, [this] { beat(); });
  perform(logic_->start());
}

void MasterProcess::crash() {
  if (!up())
    return;
  // The kernel lets go of the lock of a process that is gone.
  if (hold_)
    directory_.unlock(*std::exchange(hold_, std::nullopt));
  end_life();
  network_.drop(*this);
}

void MasterProcess::perform(MasterActions actions) {
  check_that_they_are_connected();
  actions_.run(std::move(actions), [this](const auto& x) { act(x); });
}

// -- the lock -----------------------------------------------------------------

void MasterProcess::act(const ContendForLeadership& x) {
  if (x.after == Duration{})
    wait_for_lock(x.term);
  else
    after(x.after, [this, term = x.term] { wait_for_lock(term); });
}

void MasterProcess::wait_for_lock(TermNumber term) {
  hold_ = directory_.try_lock();
  if (hold_) {
    after(check_lock_every, [this, term] { check_lock(term); });
    act(ShowLife{});
    return perform(logic_->on(ElectionWon{term}));
  }
  if (!std::exchange(watches_, true))
    watch_leader();
  // As if it tried every now and then, without an event for each time.
  directory_.when_free([=, this, life_then = life()] {
    queue().after(dice_.lasting(Duration{0}, contend_every), [=, this] {
      run(life_then, [=, this] { wait_for_lock(term); });
    });
  });
}

void MasterProcess::check_lock(TermNumber term) {
  // It has resigned since.
  if (!hold_)
    return;
  if (!directory_.holds(*hold_) && queue().now() >= overlooks_until_) {
    hold_.reset();
    return perform(
        logic_->on(now(), ElectionLost{term, "the lock was taken away"}));
  }
  after(check_lock_every, [this, term] { check_lock(term); });
}

/// Whoever stands by ends a leader that hangs.
void MasterProcess::watch_leader() {
  after(beat_every, [this] {
    if (hold_) {
      watches_ = false;
      return;
    }
    if (watch_.look(directory_.sign()) == leader_patience) {
      referee_.stats().count("leaders that hung and were ended");
      directory_.kill_holder();
    }
    watch_leader();
  });
}

void MasterProcess::act(const ShowLife&) {
  // What is written to a lock that was replaced nobody reads.
  if (!hold_ || !directory_.holds(*hold_))
    return;
  directory_.show_life(name() + ' ' + std::to_string(++signs_),
                       [this, life_then = life()] {
                         if (life() == life_then)
                           end_and_start_again();
                       });
}

void MasterProcess::act(const StoreHangs& x) {
  if (x.beats < store_patience)
    return;
  referee_.stats().count("leaders whose store hung");
  // In the middle of what it does: it ends after that.
  queue().after(Duration{0}, [this, life_then = life()] {
    if (life() == life_then)
      end_and_start_again();
  });
}

void MasterProcess::act(const LogRefusal& x) {
  fail(name()
       + " refuses what was said where nobody proves anything: " + x.why);
}

void MasterProcess::end_and_start_again() {
  crash();
  // A service manager starts it again.
  queue().after(dice_.lasting(std::chrono::seconds{2}, std::chrono::seconds{8}),
                [this] {
                  if (!up())
                    start();
                });
}

void MasterProcess::beat() {
  after(beat_every, [this] { beat(); });
  perform(logic_->beat(now()));
  check_that_it_leads();
}

/// A look at the store would tell it.
void MasterProcess::check_that_it_leads() {
  auto can_look
      = std::max(disk_busy_until_, directory_.hangs_until) < queue().now();
  auto deposed = can_look && leading() && !directory_.leads(cluster().epoch());
  deposed_for_beats_ = deposed ? deposed_for_beats_ + 1 : 0;
  if (deposed_for_beats_ > beats_to_look)
    fail(name() + " leads on, though another one has begun to");
}

void MasterProcess::act(const ResignLeadership&) {
  disturb();
  registered_.clear();
  if (hold_)
    directory_.unlock(*std::exchange(hold_, std::nullopt));
  referee_.stats().count("masters that stepped down");
}

// -- the disk -----------------------------------------------------------------

void MasterProcess::after_disk(Duration lasts, std::function<void()> what) {
  auto begin
      = std::max({queue().now(), disk_busy_until_, directory_.hangs_until});
  disk_busy_until_ = begin + lasts + directory_.extra_delay;
  after(disk_busy_until_ - queue().now(), std::move(what));
}

void MasterProcess::act(const BeginLeadership& x) {
  after_disk(dice_.lasting(Duration{1}, Duration{20}), [this, term = x.term] {
    auto leadership = journal_->lead(config_.master_url, to_ms(now()));
    if (leadership)
      feed_.begin(leadership->epoch, leadership->stored);
    perform(logic_->on(now(), LeadershipBegun{term, std::move(leadership)}));
  });
}

void MasterProcess::act(const CommitBatch& x) {
  auto pause = dice_.lasting(Duration{0}, Duration{4});
  auto answer = dice_.lasting(Duration{0}, Duration{2});
  auto asked = queue().now();
  // Written first, and known to be written a little later: a master may die in
  // between. What is on its way to the disk is written, whoever leads then.
  after_disk(pause, [=, this, by = cluster().epoch()] {
    auto status = journal_->commit(*x.changes);
    if (status) {
      if (by == cluster().epoch())
        changes_committed_ += x.changes->size();
      referee_.committed(*this, by, *x.changes);
    }
    after(answer, [=, this, term = x.term] {
      if (leading() && by == cluster().epoch())
        referee_.store_answered(*this, asked);
      perform(logic_->on(now(), BatchCommitted{term, status}));
    });
  });
}

void MasterProcess::act(const CheckLeadership& x) {
  after_disk(Duration{0}, [this, term = x.term] {
    perform(logic_->on(now(), LeadershipChecked{term, journal_->check()}));
  });
}

void MasterProcess::act(const PublishBatch& x) {
  feed_.append(x.epoch, x.number, x.changes);
}

// -- the network --------------------------------------------------------------

PeerNumber MasterProcess::find(const LinkPtr& link) const {
  auto i = std::find_if(links_.begin(), links_.end(),
                        [&](const auto& x) { return x.second == link; });
  return i == links_.end() ? 0 : i->first;
}

PeerNumber MasterProcess::number_of(const LinkPtr& link) {
  if (auto known = find(link))
    return known;
  links_[++last_link_] = link;
  return last_link_;
}

void MasterProcess::hear(const LinkPtr& link, const Event& x,
                         std::uint64_t request) {
  if (is_request(x)) {
    requests_[++last_request_] = {link, request};
    return perform(logic_->ask(now(), last_request_, x, {}, find(link)));
  }
  auto peer = sender_of(x).value.empty() ? 0 : number_of(link);
  if (stamp_of(x))
    registered_[link] = sender_of(x);
  perform(logic_->hear(now(), peer, x));
}

void MasterProcess::link_broke(const LinkPtr& link) {
  registered_.erase(link);
  if (auto peer = find(link)) {
    links_.erase(peer);
    perform(logic_->disconnect(now(), peer));
  }
}

void MasterProcess::act(const LeavePeer& x) {
  links_.erase(x.peer);
}

void MasterProcess::act(const Outbox& x) {
  check_that_it_is_committed(x);
  for (const auto& item : x.items)
    std::visit([&](const auto& y) { send(x.epoch, y); }, item);
}

void MasterProcess::send(LeaderEpoch epoch, const Outbox::Message& x) {
  if (auto i = links_.find(x.to); i != links_.end())
    std::visit([&](const auto& y) { network_.tell(i->second, epoch, y); },
               x.message);
}

void MasterProcess::send(LeaderEpoch epoch, const Outbox::Response& x) {
  auto request = requests_.extract(x.request);
  if (request.empty())
    return;
  const auto& [link, number] = request.mapped();
  // A master that does not lead says so, instead of an answer.
  network_.tell(link, epoch,
                Answered{number, x.answer ? *x.answer : std::nullopt});
}

// -- time ---------------------------------------------------------------------

void MasterProcess::act(const WakeMaster& x) {
  at(x.at, [this] { perform(logic_->tick(now())); });
}

void MasterProcess::reload(const TenantsConfig& tenants) {
  if (up() && !paused())
    perform(logic_->ask(now(), ++last_request_, ReconfigureTenants{tenants}));
}

// -- what the referee sees ----------------------------------------------------

void MasterProcess::stepped(const Cluster&, const EndpointId&,
                            const Event& event, const StepResult& result) {
  ++steps_;
  if (const auto* lost = std::get_if<EndpointLost>(&event))
    check_that_it_is_gone(lost->endpoint);
  const auto* begun = std::get_if<ElectedLeader>(&event);
  if (begun != nullptr) {
    changes_made_.clear();
    changes_committed_ = 0;
    referee_.leads(*this, begun->epoch);
  }
  if (!result.changes.empty()) {
    auto before = changes_made_.empty() ? 0 : changes_made_.rbegin()->second;
    changes_made_[steps_] = before + result.changes.size();
  }
  referee_.stepped(*this, event, result);
  if (begun != nullptr)
    referee_.took_over(*this);
}

void MasterProcess::check_that_it_is_committed(const Outbox& x) const {
  // One that has resigned only refuses.
  if (!leading())
    return;
  auto after = changes_made_.upper_bound(x.step);
  if (after != changes_made_.begin()
      && std::prev(after)->second > changes_committed_)
    fail(name() + " sends what is not committed");
}

/// Who is taken to be there can be heard to end.
void MasterProcess::check_that_they_are_connected() const {
  if (!leading())
    return;
  const auto& state = cluster().state();
  const auto& connections = logic_->connections();
  for (const auto& [key, x] : state.applications.all())
    if (!x.reconnect_due && !state.recovery.awaits(key)
        && !connections.find(x.stored.driver))
      fail(name() + " takes the driver of " + x.stored.id.value
           + " for present, which has no connection to it");
  for (const auto& [key, x] : state.workers.all())
    if (x.stored.state == WorkerState::ALIVE
        && !connections.find(x.stored.endpoint))
      fail(name() + " takes " + x.stored.id.value
           + " for present, which has no connection to it");
}

/// That is, not there over another connection than the one that has ended.
void MasterProcess::check_that_it_is_gone(const EndpointId& x) const {
  for (const auto& [link, endpoint] : registered_)
    if (endpoint == x && !link->broken && link->end(Side::peer).open
        && link->end(Side::server).open)
      fail(name() + " takes " + link->peer->name()
           + " for gone, which has registered over another connection since");
}

} // namespace stoker::simulation
