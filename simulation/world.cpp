#include "simulation/world.hpp"

#include "scheduling/master/snapshot.hpp"
#include "scheduling/master/tenant_admission.hpp"
#include "simulation/referee_elastic.hpp"
#include "simulation/shapes.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// How often it is looked for what waits although there is room.
constexpr Duration look_interval = seconds{5};

constexpr Duration poll_interval = milliseconds{500};
/// A disk may hang for a minute more, and who is away is waited for in an outage.
constexpr Duration settling = seconds{210};
/// For so long no instance may come to its end.
constexpr Duration ending = minutes{30};

} // namespace

World::World(const Scenario& scenario, std::ostream* log)
    : scenario_(scenario), network_(queue_, scenario.seed),
      referee_(queue_, directory_, network_, log),
      connections_(queue_, referee_, workers_, applications_),
      carrier_(queue_, scenario.seed, network_, all_masters_, workers_) {
  for (int i = 0; i < scenario.masters; ++i) {
    masters_.push_back(std::make_unique<MasterProcess>(
        queue_, "master-" + std::to_string(i), scenario.seed,
        cluster_shape(scenario), network_, directory_, referee_));
    all_masters_.push_back(masters_.back().get());
    referee_.watch(*masters_.back());
  }
  for (int i = 0; i < scenario.workers; ++i) {
    workers_.push_back(std::make_unique<WorkerProcess>(
        queue_, "worker-" + std::to_string(i), scenario.seed,
        worker_shape(scenario, i), network_, all_masters_, referee_));
    connections_.watch(*workers_.back());
    referee_.watch(*workers_.back());
  }
  people_
      = std::make_unique<CommandLine>(queue_, network_, all_masters_, referee_);
}

void World::run() {
  for (const auto& master : masters_)
    master->start();
  for (const auto& worker : workers_)
    worker->start();
  chaos();
  heal();
  wait_until_no(
      "settled", settling, [this] { return unsettled(); },
      [] { return std::size_t{0}; });
  settled_ = queue_.now();
  let_everything_end();
}

void World::chaos() {
  for (const auto& item : scenario_.items)
    queue_.after(item.at, [this, item] { happen(item); });
  queue_.after(look_interval, [this] { look_for_what_waits(); });
  queue_.run_until(queue_.now() + scenario_.chaos);
  in_chaos_ = false;
}

void World::heal() {
  directory_.fault.reset();
  directory_.extra_delay = Duration{};
  directory_.hangs_until = {};
  network_.mend_all();
  for (const auto& master : masters_) {
    master->resume();
    if (!master->up())
      master->start();
  }
  for (const auto& worker : workers_) {
    worker->resume();
    worker->start();
  }
  for (const auto& application : applications_) {
    application->resume();
    if (application->reading() != nullptr)
      application->reading()->read_on();
  }
}

namespace {

/// Returns true if its user, or the user's company, may have less than it asks for: the limit
/// was larger when it came.
bool is_above_limit(const ApplicationProcess& x, const MasterProcess* master) {
  if (master == nullptr || !x.app_id())
    return false;
  const auto& state = master->cluster().state();
  auto key = state.applications.find(*x.app_id());
  return key && !state.applications.at(*key).position()
         && !may_join_queue(state, *key);
}

} // namespace

void World::let_everything_end() {
  auto gives_up = [this](const ApplicationProcess& x) {
    return !x.description().instances || never_fits(x.description())
           || is_above_limit(x, leader());
  };
  // The user interrupts a program whose output is never read.
  auto interrupts = [](const ApplicationProcess& x) {
    return x.reading() != nullptr && x.reading()->stopped_for_ever();
  };
  auto ask_to_end = [&, this] {
    // A decommissioned machine may leave late, and have what an application needs.
    for (const auto& worker : workers_)
      worker->start();
    for (const auto& application : applications_)
      if (interrupts(*application)
          || (application->elastic() == nullptr && gives_up(*application)))
        application->leave();
    if (const auto* x = leader())
      for (const auto& driver : snapshot(x->cluster().state()).active_drivers)
        people_->request(RequestKillDriver{driver.id});
  };
  int polls = 0;
  auto leftover_now = [&, this] {
    // Drivers may be started again, and leaving may fail, now and then.
    if (polls++ % 60 == 0)
      ask_to_end();
    // Elastic ones end their load, and have to come down before they leave.
    check_that_elastic_ones_come_down();
    if (auto* x = leader())
      referee_.outputs().check_that_ends_are_known(*x);
    for (const auto& application : applications_)
      if (const auto* x = leader(); application->elastic() != nullptr
                                    && polls % 60 == 1 && x != nullptr
                                    && !unrest_of(*application, *x))
        application->leave();
    return leftover();
  };
  auto work_done = [this] {
    std::size_t result = 0;
    for (const auto& application : applications_) {
      result += application->done().size();
      if (const auto* elastic = application->elastic())
        result += elastic->tasks().done();
    }
    return result;
  };
  wait_until_no("ended", ending, leftover_now, work_done);
}

template <class Problem, class Progress>
void World::wait_until_no(const char* what, Duration patience, Problem problem,
                          Progress progress) {
  auto end = queue_.now() + patience;
  auto reached = progress();
  auto found = problem();
  while (found && queue_.now() < end) {
    queue_.run_until(queue_.now() + poll_interval);
    found = problem();
    if (progress() > reached) {
      reached = progress();
      end = queue_.now() + patience;
    }
  }
  if (found)
    fail("not " + std::string{what} + " after "
         + std::to_string(patience / seconds{1}) + " s: " + *found);
}

Outcome World::outcome() const {
  Outcome result;
  result.digest = referee_.digest() ^ queue_.happened();
  result.simulated = queue_.since_begin();
  result.stats = referee_.stats();
  result.stats.count("simulated events", queue_.happened());
  return result;
}

} // namespace stoker::simulation
