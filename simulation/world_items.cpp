// What a scenario's items do to a simulated cluster.

#include <algorithm>

#include "simulation/referee_waiting.hpp"
#include "simulation/shapes.hpp"
#include "simulation/world.hpp"

namespace stoker::simulation {

void World::happen(const Item& item) {
  referee_.stats().count("item: " + item.what);
  if (!load(item) && !disturb_workers(item) && !disturb_masters(item)
      && !disturb_disk(item) && !disturb_readers(item))
    disturb_network(item);
}

// -- load ---------------------------------------------------------------------

namespace {

/// Instances keep the gang that they began with: the referee relies on it.
void ask_for_gang(ApplicationProcess& application, std::int64_t which) {
  if (!application.description().instances)
    application.ask_for(2 + static_cast<int>(which % 3),
                        1 + static_cast<int>(which % 2));
}

} // namespace

bool World::load(const Item& item) {
  const auto& what = item.what;
  if (what == "start-application") {
    start_application(item);
    return true;
  }
  if (what == "start-elastic") {
    start_elastic(item);
    return true;
  }
  if (what == "start-gang") {
    add_application(gang_shape(scenario_, item.other), std::nullopt);
    return true;
  }
  if (what == "start-read") {
    add_application(read_shape(scenario_, item.other), std::nullopt);
    return true;
  }
  if (what == "start-limited") {
    add_application(limited_shape(scenario_, item.other, item.lasts),
                    std::nullopt);
    return true;
  }
  if (what == "burst") {
    burst(item);
    return true;
  }
  if (what == "submit-driver") {
    people_->request(
        RequestSubmitDriver{driver_shape(scenario_, item.other),
                            "submission-" + std::to_string(++submissions_)});
    return true;
  }
  if (what == "kill-driver") {
    auto drivers = referee_.acknowledged_drivers();
    if (!drivers.empty())
      people_->request(RequestKillDriver{
          drivers[static_cast<std::size_t>(item.who) % drivers.size()]});
    return true;
  }
  if (what == "decommission") {
    people_->request(DecommissionWorkers{{at(workers_, item.who).config().id}});
    return true;
  }
  if (what == "reload-tenants") {
    if (scenario_.tenants)
      at(masters_, item.who).reload(tenants_shape(scenario_, item.other));
    return true;
  }
  if (what != "leave" && what != "ask-for" && what != "ask-for-gang"
      && what != "kill-executor" && what != "kill-application"
      && what != "crash-application")
    return false;
  if (applications_.empty())
    return true;
  auto& application = at(applications_, item.who);
  if (what == "leave")
    application.leave();
  else if (what == "ask-for")
    // One of instances would wait for ever without any.
    application.ask_for(static_cast<int>(item.other % 6)
                        + (application.description().instances ? 1 : 0));
  else if (what == "ask-for-gang")
    ask_for_gang(application, item.other);
  else if (what == "kill-executor")
    application.kill_any_executor();
  else if (what == "crash-application")
    application.crash();
  else if (application.app_id())
    people_->request(RequestKillApplication{*application.app_id()});
  return true;
}

void World::start_application(const Item& item) {
  auto description = application_shape(scenario_, item.other);
  auto drivers = referee_.acknowledged_drivers();
  if (item.who % 4 == 0 && !drivers.empty())
    description.driver_id = drivers.back();
  add_application(std::move(description), std::nullopt);
}

void World::start_elastic(const Item& item) {
  auto shape = elastic_shape(scenario_, item.other);
  add_application(
      std::move(shape.description),
      ApplicationProcess::Elastic{shape.settings, connections_.stop_of_next()});
}

void World::add_application(
    ApplicationDescription description,
    const std::optional<ApplicationProcess::Elastic>& x) {
  applications_.push_back(std::make_unique<ApplicationProcess>(
      queue_, "application-" + std::to_string(applications_.size()),
      scenario_.seed, std::move(description), x, network_, all_masters_,
      referee_));
  auto& added = *applications_.back();
  if (added.description().reads_output.value_or(false))
    added.read_output(carrier_);
  referee_.watch(added);
  added.start();
}

/// The load of an elastic application grows, or is given up.
void World::burst(const Item& item) {
  std::vector<ApplicationProcess*> elastic;
  for (const auto& x : applications_)
    if (x->elastic() != nullptr)
      elastic.push_back(x.get());
  if (elastic.empty())
    return;
  auto& x = *elastic[static_cast<std::size_t>(item.who) % elastic.size()];
  if (item.other >= 950)
    x.cancel_load();
  else
    x.burst(1 + static_cast<int>(item.other % 24), item.lasts);
}

void World::look_for_what_waits() {
  if (const auto* x = leader(); x != nullptr && !x->paused()) {
    referee_.check_that_recovery_ends(*x);
    if (x->cluster().status() == RecoveryState::ALIVE) {
      check_that_nothing_waits(*x, changes_rules(scenario_));
      count_throttled(referee_.stats(), *x);
      referee_.check_that_elastic_ones_are_answered(*x);
      referee_.outputs().check_that_ends_are_known(*x);
    }
  }
  if (in_chaos_)
    queue_.after(std::chrono::seconds{5}, [this] { look_for_what_waits(); });
}

// -- faults -------------------------------------------------------------------

bool World::disturb_workers(const Item& item) {
  auto& worker = at(workers_, item.who);
  if (item.what == "crash-worker" || item.what == "crash-machine") {
    if (item.what == "crash-worker")
      worker.crash();
    else
      worker.crash_machine();
    queue_.after(item.lasts, [&worker] { worker.start(); });
  } else if (item.what == "pause-worker") {
    worker.pause();
    queue_.after(item.lasts, [&worker, timers_first = item.other % 2 != 0] {
      worker.resume(timers_first);
    });
  } else if (item.what == "stop-worker") {
    worker.stop();
  } else if (item.what == "sick-worker") {
    worker.fall_sick(item.lasts);
  } else if (item.what == "kill-all-programs") {
    worker.kill_all_programs();
  } else if (item.what == "kill-program" || item.what == "kill-supervisor") {
    worker.kill_any_program(item.what == "kill-supervisor");
  } else {
    return false;
  }
  return true;
}

bool World::disturb_readers(const Item& item) {
  if (item.what == "damage-output") {
    at(workers_, item.who).damage_output(item.other);
    return true;
  }
  if (item.what != "read-slowly" && item.what != "stop-reading")
    return false;
  std::vector<OutputReading*> readers;
  for (const auto& x : applications_)
    if (x->reading() != nullptr && x->up())
      readers.push_back(x->reading());
  if (readers.empty())
    return true;
  auto& reader = *readers[static_cast<std::size_t>(item.who) % readers.size()];
  if (item.what == "read-slowly")
    reader.read_slowly(2000 + item.other * 100, item.lasts);
  else if (item.lasts > Duration{})
    reader.stop(item.lasts);
  else
    reader.stop(std::nullopt);
  return true;
}

bool World::disturb_masters(const Item& item) {
  auto start_later = [&](MasterProcess& master) {
    queue_.after(item.lasts, [&master] {
      if (!master.up())
        master.start();
    });
  };
  auto of_leader = item.what == "pause-leader" || item.what == "crash-leader";
  auto* leading = of_leader ? leader() : nullptr;
  if (of_leader && leading == nullptr)
    return true;
  auto& master = of_leader ? *leading : at(masters_, item.who);
  if (item.what == "crash-master" || item.what == "crash-leader") {
    master.crash();
    start_later(master);
  } else if (item.what == "crash-all-masters") {
    for (const auto& x : masters_) {
      x->crash();
      start_later(*x);
    }
  } else if (item.what == "pause-master" || item.what == "pause-leader") {
    master.pause();
    queue_.after(item.lasts, [this, &master, stopped = queue_.now(),
                              sign = directory_.sign(),
                              timers_first = item.other % 2 != 0] {
      // It has done nothing since.
      if (master.holds_lock() && directory_.sign() == sign)
        referee_.leader_resumes(master, stopped);
      master.resume(timers_first);
    });
  } else if (item.what == "replace-lock") {
    directory_.replace_lock();
  } else if (item.what == "overlook-lock") {
    for (const auto& x : masters_)
      x->overlook_lock(item.lasts);
  } else if (item.what == "clock-jump") {
    Duration offset{item.other * 100 - 50'000};
    for (const auto& x : masters_)
      if (x.get() == &master)
        x->set_clock(offset);
    at(workers_, item.who).set_clock(-offset);
  } else {
    return false;
  }
  return true;
}

bool World::disturb_disk(const Item& item) {
  if (item.what == "disk-slow") {
    directory_.extra_delay = Duration{item.other};
    queue_.after(item.lasts, [this] { directory_.extra_delay = Duration{}; });
  } else if (item.what == "disk-hangs") {
    directory_.hangs_until = queue_.now() + item.lasts;
  } else if (item.what == "disk-full" || item.what == "disk-error") {
    directory_.fault = item.what == "disk-full" ? Errc::full : Errc::io;
    queue_.after(item.lasts, [this] { directory_.fault.reset(); });
  } else {
    return false;
  }
  return true;
}

bool World::disturb_network(const Item& item) {
  if (item.what == "isolate-leader") {
    if (const auto* x = leader())
      isolate(x->name(), item.lasts);
    return true;
  }
  const Process* process = &at(workers_, item.who);
  if (item.what == "isolate-master")
    process = &at(masters_, item.who);
  else if (item.what == "isolate-application" && applications_.empty())
    return false;
  else if (item.what == "isolate-application")
    process = &at(applications_, item.who);
  if (item.what == "slow-network") {
    network_.set_extra_delay(Duration{item.other});
    queue_.after(item.lasts, [this] { network_.set_extra_delay(Duration{}); });
  } else if (item.what == "break-links") {
    if (item.other % 3 == 0)
      process = &at(masters_, item.who);
    else if (item.other % 3 == 1 && !applications_.empty())
      process = &at(applications_, item.who);
    network_.break_links(*process);
  } else if (item.other % 3 == 0 && item.what != "isolate-master") {
    // From one master only.
    const auto& master = at(masters_, item.other);
    network_.cut(process->name(), master.name());
    queue_.after(item.lasts, [this, process, &master] {
      network_.mend(process->name(), master.name());
    });
  } else {
    isolate(process->name(), item.lasts);
  }
  return true;
}

void World::isolate(const std::string& name, Duration lasts) {
  network_.cut(name, {});
  queue_.after(lasts, [this, name] { network_.mend(name, {}); });
}

} // namespace stoker::simulation
