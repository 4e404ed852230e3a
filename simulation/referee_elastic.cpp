// Elastic applications: that what they want is what their leader knows, and that nothing
// of it is left.

#include "simulation/referee_elastic.hpp"

#include <algorithm>
#include <set>

#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

/// As long as somebody waits for an answer, and tries again.
constexpr Duration answer_max = std::chrono::seconds{16};

bool takes_part(const ApplicationProcess& x) {
  return x.elastic() != nullptr && x.up() && x.dead().empty() && x.app_id();
}

const Application* known_to(const MasterProcess& master, const AppId& id) {
  const auto& applications = master.cluster().state().applications;
  auto key = applications.find(id);
  return key ? &applications.at(*key) : nullptr;
}

std::set<int> running_of(const ElasticDriver& x) {
  std::set<int> result;
  for (const auto& [exec_id, executor] : x.allocation().requests().executors())
    if (!executor.released)
      result.insert(exec_id);
  return result;
}

std::string text_of(const std::vector<int>& exec_ids) {
  std::string result;
  for (auto exec_id : exec_ids)
    result += ' ' + std::to_string(exec_id);
  return result;
}

std::string say(const ExecutorAllocationEffect& x) {
  if (const auto* total = std::get_if<AskForTotal>(&x))
    return "asks for " + std::to_string(total->request.total) + " executors";
  if (const auto* kills = std::get_if<AskToKill>(&x))
    return "gives back executors" + text_of(kills->kills.exec_ids);
  if (const auto* idle = std::get_if<AskIdleToLeave>(&x))
    return "lets idle executors leave:" + text_of(idle->exec_ids);
  return "waits";
}

std::string figures_of(const ElasticDriver& x) {
  auto status = x.allocation().manager().status();
  const auto& requests = x.allocation().requests();
  return std::to_string(x.tasks().unfinished()) + " tasks, target "
         + std::to_string(status.target) + ", "
         + std::to_string(status.executors) + " connected, "
         + std::to_string(requests.running()) + " run, "
         + std::to_string(requests.pending()) + " pending, "
         + std::to_string(requests.released()) + " to end";
}

std::string count_of(std::int64_t count, const char* what) {
  return std::to_string(count) + ' ' + what;
}

} // namespace

// -- at any time --------------------------------------------------------------

void Referee::elastic_driver_stepped(
    const Process& process, const ElasticDriver& driver,
    const ExecutorAllocationEffects& effects) const {
  if (log_ != nullptr)
    for (const auto& effect : effects)
      if (!std::holds_alternative<AllocationWakesAt>(effect))
        note(process.name(), say(effect) + " (" + figures_of(driver) + ')');
  if (auto problem = driver.allocation().requests().invariant_violation())
    fail("the requests of " + process.name()
         + " are inconsistent: " + *problem);
}

/// No more executors are started than are wanted; and what a leader has acknowledged is
/// what each later one knows, until it is told something else.
void Referee::judge_limits(const MasterProcess& master,
                           const StepResult& result) const {
  for (const auto& message : result.messages)
    if (const auto* start = std::get_if<StartExecutor>(&message))
      if (const auto* app = known_to(master, start->app_id);
          app != nullptr && app->stored.executor_limit
          && app->executors.count() > *app->stored.executor_limit)
        fail(start->app_id.value + " is given more executors than it wants");
  for (const auto& [endpoint, model] : applications_) {
    if (model.process == nullptr || !takes_part(*model.process))
      continue;
    const auto& requests = model.process->elastic()->allocation().requests();
    const auto* app = known_to(master, *model.process->app_id());
    if (app != nullptr && requests.is_acknowledged()
        && app->stored.executor_limit != requests.wanted())
      fail(master.name() + " has forgotten that " + app->stored.id.value
           + " wants " + count_of(requests.wanted(), "executors"));
  }
}

void Referee::check_that_elastic_ones_are_answered(
    const MasterProcess& master) const {
  for (const auto& [endpoint, model] : applications_) {
    if (model.process == nullptr || !takes_part(*model.process))
      continue;
    const auto& process = *model.process;
    auto since = queue_.now() - answer_max;
    auto connected = process.connected_since(master);
    auto registered = process.registered_since();
    if (!connected || *connected > since || !registered || *registered > since
        || last_takeover_ > since || directory_.hangs_until > since
        || master.disturbance().after(since)
        || process.disturbance().after(since)
        || network_.disturbance().after(since))
      continue;
    const auto* elastic = process.elastic();
    if (auto x = elastic->wants_since(); x && *x < since)
      fail(process.name() + " wants another number of executors, and "
           + master.name() + " does not know");
    if (auto x = elastic->releases_since(); x && *x < since)
      fail(process.name() + " has told an executor to end, and it does not");
  }
}

// -- once all faults have ended -----------------------------------------------

std::optional<std::string> disagreement_of(const ApplicationProcess& process,
                                           const MasterProcess& leader) {
  if (!takes_part(process))
    return std::nullopt;
  const auto* app = known_to(leader, *process.app_id());
  if (app == nullptr)
    return std::nullopt;
  const auto& allocation = process.elastic()->allocation();
  const auto& requests = allocation.requests();
  auto target = allocation.manager().status().target;
  if (app->stored.executor_limit != target)
    return process.name() + " wants " + count_of(target, "executors")
           + ", and its leader knows of "
           + count_of(app->stored.executor_limit.value_or(-1), "");
  if (requests.released() > 0)
    return process.name() + " has "
           + count_of(requests.released(), "executors that are to end");
  auto believed = running_of(*process.elastic());
  std::set<int> known;
  for (const auto& [exec_id, x] : app->executors.present())
    known.insert(exec_id);
  if (believed != known)
    return process.name() + " has "
           + count_of(std::ssize(believed), "executors")
           + ", and its leader knows of " + count_of(std::ssize(known), "")
           + "or of others";
  return std::nullopt;
}

std::optional<std::string> unrest_of(const ApplicationProcess& process,
                                     const MasterProcess& leader) {
  if (!takes_part(process))
    return std::nullopt;
  if (auto problem = disagreement_of(process, leader))
    return problem;
  const auto& elastic = *process.elastic();
  if (elastic.tasks().unfinished() > 0)
    return process.name() + " has "
           + count_of(static_cast<std::int64_t>(elastic.tasks().unfinished()),
                      "tasks");
  auto status = elastic.allocation().manager().status();
  auto running = elastic.allocation().requests().running();
  // Without executors that could be idle it waits for the first stage.
  auto begins = status.initializing && status.executors == 0;
  if (status.target != elastic.settings().min_executors && !begins)
    return process.name() + " wants " + count_of(status.target, "executors")
           + " for nothing";
  if (running > status.target)
    return process.name() + " has " + count_of(running, "executors")
           + " and wants " + count_of(status.target, "");
  if (status.leaving != 0 || status.executors != running)
    return process.name() + " counts "
           + count_of(status.executors, "executors, and ")
           + count_of(running, "run");
  return std::nullopt;
}

} // namespace stoker::simulation
