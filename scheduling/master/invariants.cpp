#include "scheduling/master/invariants.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "scheduling/master/allowance.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/programs.hpp"
#include "scheduling/master/reservations.hpp"

namespace stoker {

namespace {

using Problem = std::optional<std::string>;

/// What is held of one worker, added up.
struct Held {
  ExecutorSize size{0, 0};
  std::map<std::string, std::set<std::string>> addresses;

  /// Returns whether nobody else holds any of the addresses.
  bool add(const Allotment& x) {
    size.cores += x.size.cores;
    size.memory_mb += x.size.memory_mb;
    auto exclusive = true;
    for (const auto& [name, those] : x.resources)
      for (const auto& address : those)
        exclusive = addresses[name].insert(address).second && exclusive;
    return exclusive;
  }
};

/// Compares the tables with each other.
class Audit {
public:
  explicit Audit(const ClusterState& state) : state_(state) {
  }

  Problem run() {
    for (auto check : {&Audit::owners, &Audit::applications, &Audit::drivers,
                       &Audit::dependents, &Audit::reservations, &Audit::gangs,
                       &Audit::releases, &Audit::workers, &Audit::deadlines,
                       &Audit::waiting})
      if (auto problem = (this->*check)())
        return problem;
    return std::nullopt;
  }

private:
  Problem owners() {
    if (auto problem = state_.workers.invariant_violation())
      return problem;
    if (auto problem = state_.capacity.invariant_violation())
      return problem;
    if (auto problem = state_.applications.invariant_violation())
      return problem;
    if (auto problem = state_.drivers.invariant_violation())
      return problem;
    if (auto problem = state_.wanted_shapes.invariant_violation())
      return problem;
    if (auto problem = state_.reservations.invariant_violation())
      return problem;
    if (auto problem = state_.gangs.invariant_violation())
      return problem;
    const auto* tenants = state_.admission.tenants();
    return tenants == nullptr ? std::nullopt : tenants->invariant_violation();
  }

  Problem applications() {
    std::size_t admitted = 0;
    for (const auto& [key, app] : state_.applications.all()) {
      auto name = to_string(app.stored.id);
      for (const auto& [id, executor] : app.executors.present())
        if (auto problem = executor_of(key, executor))
          return problem;
      if (app.instances)
        if (auto problem = instances_of(app))
          return problem;
      const auto& max = app.stored.description.max_cores;
      if (max && app.executors.cores() > *max)
        return name + " has more cores than it may";
      auto position = app.position();
      if (auto problem = place_of(app))
        return problem;
      if (!position)
        continue;
      ++admitted;
      if (!state_.admission.admitted().contains(*position))
        return name + " is not among those that were admitted";
      auto wants = wants_executor(state_, app);
      if (wants != state_.capacity.is_wanted(*position, app.needs))
        return name + " is wrong among those that want more";
      if (auto problem = shape_of(key, app, wants))
        return problem;
    }
    if (admitted != state_.admission.admitted().size())
      return "somebody is among those that were admitted who was not";
    return std::nullopt;
  }

  /// Who waits for others stands in no queue; without tenants all others are admitted.
  Problem place_of(const Application& app) {
    const auto* tenants = state_.admission.tenants();
    auto depends = !app.stored.waits_for.empty();
    auto queued = tenants != nullptr && tenants->is_queued(app.key());
    auto places
        = (depends ? 1 : 0) + (queued ? 1 : 0) + (app.position() ? 1 : 0);
    return places == 1
               ? std::nullopt
               : Problem{to_string(app.stored.id)
                         + " does not just wait for others, wait in its "
                           "queue, or is admitted"};
  }

  /// The index says what those say who wait, and nobody waits for what has ended.
  Problem dependents() {
    std::size_t pairs = 0;
    auto check = [&](Dependent who, const std::vector<Dependency>& waits_for,
                     const std::string& name) -> Problem {
      for (const auto& x : waits_for) {
        ++pairs;
        if (!state_.dependents.contains(who, awaited(x)))
          return name + " waits for something that does not know it";
        auto is_there = x.app ? state_.applications.find(*x.app).has_value()
                                    || state_.releases.has_any_of(*x.app)
                              : is_open(*x.driver);
        if (!is_there)
          return name + " waits for something that has ended";
      }
      return std::nullopt;
    };
    for (const auto& [key, app] : state_.applications.all())
      if (auto problem
          = check(key, app.stored.waits_for, to_string(app.stored.id)))
        return problem;
    for (const auto& [key, driver] : state_.drivers.all())
      if (auto problem
          = check(key, driver.stored.waits_for, to_string(driver.stored.id)))
        return problem;
    // Twice for one thing, with and without its success, is one pair.
    if (state_.dependents.size() > pairs)
      return "somebody is waited by who does not wait";
    return std::nullopt;
  }

  [[nodiscard]] bool is_open(const DriverId& id) const {
    auto key = state_.drivers.find(id);
    return key && !state_.drivers.at(*key).stored.ended;
  }

  Problem shape_of(AppKey key, const Application& app, bool wants) {
    const auto* shape = state_.wanted_shapes.find(key);
    auto known = wants && state_.admission.tenants() != nullptr;
    if ((shape != nullptr) != known
        || (known && *shape != ExecutorShape{app.executor_size(), app.needs}))
      return to_string(app.stored.id) + " is wrong among the shapes wanted";
    return std::nullopt;
  }

  Problem executor_of(AppKey key, const Executor& executor) {
    const auto& x = executor.stored;
    auto name = to_string(ExecutorId{x.app_id, x.exec_id});
    if (!state_.workers.contains(executor.worker))
      return name + " is on a worker that is not known";
    const auto& programs = state_.workers.at(executor.worker).programs;
    if (!programs.executors.contains({key, x.exec_id}))
      return name + " is not known to its worker";
    return hold(executor.worker, allotment_of(x), name);
  }

  /// Each has one attempt at most, that runs or still has to end; else it waits, or
  /// is done. One that is done may be left by another attempt.
  Problem instances_of(const Application& app) {
    const auto& instances = *app.instances;
    std::set<int> open;
    auto is_twice = [&](int index) {
      return instances.waits(index) || !open.insert(index).second
                 ? Problem{"instance " + std::to_string(index) + " of "
                           + to_string(app.stored.id) + " waits or runs twice"}
                 : std::nullopt;
    };
    for (const auto& [exec_id, executor] : app.executors.present()) {
      auto index = executor.stored.index.value();
      if (instances.is_done(index))
        return "instance " + std::to_string(index) + " of "
               + to_string(app.stored.id) + " is done and runs";
      if (auto problem = is_twice(index))
        return problem;
    }
    for (const auto* release : state_.releases.of(app.stored.id))
      if (auto index = release->stored.index.value(); !instances.is_done(index))
        if (auto problem = is_twice(index))
          return problem;
    if (static_cast<int>(open.size()) + instances.count_waiting()
            + instances.count_done()
        != instances.count())
      return "an instance of " + to_string(app.stored.id)
             + " neither waits nor runs, and is not done";
    return std::nullopt;
  }

  Problem drivers() {
    for (const auto& [key, driver] : state_.drivers.all()) {
      auto name = to_string(driver.stored.id);
      if (auto problem = place_of(key, driver))
        return problem;
      if (!driver.worker)
        continue;
      if (!state_.workers.at(*driver.worker).programs.drivers.contains(key))
        return name + " is not known to its worker";
      if (auto problem = hold(*driver.worker, driver.allotment(), name))
        return problem;
    }
    return std::nullopt;
  }

  /// It stands where the tenants say, with what counts for it.
  Problem place_of(DriverKey key, const Driver& driver) {
    auto name = to_string(driver.stored.id);
    const auto* tenants = state_.admission.tenants();
    if (tenants == nullptr)
      return state_.drivers.is_queued(key)
                 ? Problem{name
                           + " waits to be admitted, and there are no queues"}
                 : std::nullopt;
    auto admitted = !driver.stored.ended && driver.stored.waits_for.empty()
                    && !state_.drivers.is_queued(key);
    if (tenants->is_queued(key) != state_.drivers.is_queued(key)
        || tenants->is_admitted(key) != admitted)
      return name + " is not where the tenants have it";
    auto waits = admitted && !driver.worker;
    if (waits != (state_.wanted_shapes.find(key) != nullptr))
      return name + " is wrong among the shapes wanted";
    if (!driver.worker)
      return std::nullopt;
    const auto& x = driver.stored.description;
    Resources held{x.cores, x.memory_mb};
    if (const auto* kept = state_.reservations.find(key))
      for (const auto& place : kept->places) {
        auto size = kept->allotment(place).size;
        held += {size.cores, size.memory_mb};
      }
    return tenants->admitted_request(key) == held
               ? std::nullopt
               : Problem{name + " counts for something else than it holds"};
  }

  Problem reservations() {
    for (const auto& [owner, x] : state_.reservations.all()) {
      const auto* driver = std::get_if<DriverKey>(&owner);
      if (driver != nullptr && !state_.drivers.at(*driver).worker)
        return "room is kept for a driver that does not run";
      for (const auto& place : x.places)
        if (auto problem
            = hold(place.worker, x.allotment(place),
                   "what is reserved on "
                       + to_string(state_.capacity.account(place.worker).id)))
          return problem;
    }
    return std::nullopt;
  }

  /// Those that wait are waited for, and room is kept for one at most, which misses more.
  Problem gangs() {
    std::size_t waiting = 0;
    for (const auto& [key, app] : state_.applications.all()) {
      auto name = to_string(app.stored.id);
      auto at_once = executors_at_once(app);
      auto waits = state_.config.gang_reserve_after > Duration::zero()
                   && app.position() && at_once > 1
                   && wants_executor(state_, app);
      auto position = app.position().value_or(QueuePosition{});
      if (waits != (app.position() && state_.gangs.may_reserve(position)))
        return name + " is wrong among the gangs that wait";
      waiting += waits ? 1 : 0;
      const auto* kept = state_.reservations.find(key);
      if ((kept != nullptr)
          != (app.position() && state_.gangs.reserving() == position))
        return name + " reserves, or has reserved, and not both";
      if (kept != nullptr && kept->shape != app.shape())
        return name + " has reserved room of another size";
      if (kept != nullptr && kept->count() >= at_once
          && state_.recovery.status() == RecoveryState::ALIVE)
        return name + " has all the room that it needs, and waits";
    }
    if (waiting != state_.gangs.size())
      return "a gang waits that is not there";
    return std::nullopt;
  }

  Problem releases() {
    for (const auto& [id, release] : state_.releases.all()) {
      auto name = to_string(id);
      const auto& programs = state_.workers.at(release.worker).programs;
      if (!programs.releases.contains(id))
        return name + " ends where its worker does not know it";
      if (auto problem
          = hold(release.worker, allotment_of(release.stored), name))
        return problem;
    }
    return std::nullopt;
  }

  Problem workers() {
    for (const auto& [key, worker] : state_.workers.all()) {
      auto name = to_string(worker.stored.id);
      for (const auto& [app, id] : worker.programs.executors)
        if (!state_.applications.contains(app)
            || state_.applications.at(app).executors.find(id) == nullptr)
          return name + " has an executor that no application knows";
      const auto& account = state_.capacity.account(key);
      if (account.state != worker.stored.state)
        return name + " has another state in the ledger";
      if (account.rests != worker.failed_starts.rests_until.has_value())
        return name + " rests in one place and not in the other";
      if (worker.stored.state == WorkerState::ALIVE
          && !state_.workers.is_connected(key))
        return name + " is ALIVE and cannot be reached";
      if (worker.stored.state == WorkerState::UNKNOWN && !worker.report_due)
        return name + " is UNKNOWN and waited for without a limit";
      if (worker.stored.state == WorkerState::DEAD
          && !(worker.programs.executors.empty()
               && worker.programs.drivers.empty()))
        return name + " is DEAD and runs something";
      // DEAD and DECOMMISSIONED ones keep figures of what is not theirs any
      // more.
      auto exact = worker.stored.state == WorkerState::ALIVE
                   || worker.stored.state == WorkerState::UNKNOWN;
      if (exact && (held_[key].size != account.used))
        return name + " has wrong figures";
      if (auto problem = exact ? named(key, account) : std::nullopt)
        return problem;
    }
    return std::nullopt;
  }

  Problem named(WorkerKey key, const WorkerAccount& account) {
    for (const auto& [name, addresses] : account.named.used())
      if (held_[key].addresses[name]
          != std::set<std::string>{addresses.begin(), addresses.end()})
        return to_string(account.id) + " has wrong figures of " + name;
    return std::nullopt;
  }

  Problem deadlines() {
    if (!state_.deadlines.is_armed())
      return "no wake-up is pending for the earliest deadline";
    return std::nullopt;
  }

  /// A step that frees room, or after which more is wanted, ends with a pass.
  Problem waiting() {
    if (state_.recovery.status() != RecoveryState::ALIVE || state_.starts_left)
      return std::nullopt;
    for (const auto& [key, app] : state_.applications.all())
      if (app.position() && wants_executor(state_, app) && has_room(key, app))
        return to_string(app.stored.id) + " waits although there is room";
    const auto& max = state_.config.max_drivers;
    if (max && state_.drivers.running() >= *max)
      return std::nullopt;
    for (auto key : state_.drivers.waiting())
      if (has_room(state_.drivers.at(key).stored.description))
        return to_string(state_.drivers.at(key).stored.id)
               + " waits although there is room";
    return std::nullopt;
  }

  [[nodiscard]] bool has_room(AppKey key, const Application& app) const {
    const auto shape = app.shape();
    const auto* kept = state_.reservations.find(key);
    if (kept == nullptr)
      return state_.capacity.slots(shape, executors_at_once(app))
             >= executors_at_once(app);
    auto missing = executors_at_once(app) - kept->count();
    if (!shape.one_each)
      return state_.capacity.slots(shape, missing) >= missing;
    // A worker where a place is kept takes no second one.
    const auto workers = state_.capacity.giving();
    return std::count_if(
               workers.begin(), workers.end(),
               [&](WorkerKey worker) {
                 return state_.capacity.has_room(worker, shape.size,
                                                 shape.needs)
                        && !state_.reservations.kept_on(worker).contains(key);
               })
           >= missing;
  }

  [[nodiscard]] bool has_room(const DriverDescription& x) const {
    auto slots = x.executors ? slots_for(state_, x) : 0;
    const auto workers = state_.capacity.giving();
    return std::any_of(workers.begin(), workers.end(), [&](WorkerKey worker) {
      return state_.capacity.has_room(worker, {x.cores, x.memory_mb},
                                      requirements_of(x))
             && leaves_room(state_, worker, x, slots);
    });
  }

  Problem hold(WorkerKey worker, const Allotment& x, const std::string& name) {
    if (!held_[worker].add(x))
      return name + " holds an address that another one has";
    return std::nullopt;
  }

  const ClusterState& state_;
  std::map<WorkerKey, Held> held_;
};

} // namespace

std::optional<std::string> invariant_violation(const ClusterState& state) {
  return Audit{state}.run();
}

} // namespace stoker
