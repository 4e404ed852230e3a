#include "simulation/elastic_driver.hpp"

#include <utility>

#include "scheduling/allocation/allocation_news.hpp"
#include "simulation/referee.hpp"

namespace stoker::simulation {

ElasticDriver::ElasticDriver(Process& process, std::uint64_t seed,
                             const AllocationSettings& settings, Ask ask,
                             ElasticTasks::Stop stop, Referee& referee)
    : process_(process), dice_(seed, "driver of " + process.name()),
      settings_(settings), ask_(std::move(ask)), referee_(referee),
      allocation_(settings),
      tasks_(
          Dice{seed, "tasks of " + process.name()}, slots(settings),
          [this](AllocationEvents x) { feed(LoadChanged{std::move(x)}); },
          [this](Duration pause, std::function<void()> what) {
            process_.after(pause, std::move(what));
          },
          std::move(stop)) {
}

void ElasticDriver::start() {
  carry_out(allocation_.start(process_.now()));
  take_figures();
}

/// As a message to an actor: later, and in order.
void ElasticDriver::feed(ExecutorAllocationEvent event) {
  process_.after(Duration{0},
                 [this, event = std::move(event)] { step(event); });
}

void ElasticDriver::step(const ExecutorAllocationEvent& event) {
  referee_.stats().count_event("allocation", event);
  auto effects = allocation_.step(process_.now(), event);
  if (!std::holds_alternative<AllocationWakeUp>(event) || !effects.empty())
    take_figures();
  if (std::holds_alternative<LoadChanged>(event))
    last_change_ = referee_.now();
  referee_.elastic_driver_stepped(process_, *this, effects);
  carry_out(effects);
}

void ElasticDriver::carry_out(const ExecutorAllocationEffects& effects) {
  for (const auto& effect : effects) {
    referee_.stats().count_event("allocation", effect);
    std::visit([this](const auto& x) { apply(x); }, effect);
  }
}

void ElasticDriver::apply(const AskForTotal& x) {
  const auto& request = x.request;
  // Whose application it is, the process knows.
  ask_(RequestExecutors{{}, request.total, request.hosts},
       [this, request](std::optional<bool> accepted) {
         feed(TotalAnswered{request, accepted.value_or(false)});
       });
}

void ElasticDriver::apply(const AskToKill& x) {
  referee_.stats().count("executors that elastic applications gave back",
                         x.kills.exec_ids.size());
  ask_(KillExecutors{{}, x.kills.exec_ids},
       [this, kills = x.kills](std::optional<bool> accepted) {
         feed(KillsAnswered{kills, accepted});
       });
}

void ElasticDriver::apply(const AskIdleToLeave& x) {
  process_.after(dice_.lasting(Duration{0}, Duration{2}), [this, x] {
    feed(LeaveAnswered{x.number, tasks_.let_idle_leave(x.exec_ids)});
  });
}

void ElasticDriver::apply(const AllocationWakesAt& x) {
  process_.at(x.when, [this] { step(AllocationWakeUp{}); });
}

// -- news ---------------------------------------------------------------------

void ElasticDriver::hear(const ApplicationNews& news) {
  if (auto event = allocation_event_of(news))
    feed(*std::move(event));
  if (const auto* updated = std::get_if<ExecutorUpdated>(&news)) {
    // One whose worker leaves goes on with the tasks that it has.
    if (is_finished(updated->state))
      tasks_.lose_executor(updated->id);
    else if (updated->state == ExecutorState::DECOMMISSIONED)
      tasks_.drain(updated->id);
  }
}

void ElasticDriver::executor_connects(int exec_id) {
  tasks_.add_executor(exec_id);
}

void ElasticDriver::executor_is_gone(int exec_id) {
  tasks_.lose_executor(exec_id);
}

// -- figures ------------------------------------------------------------------

void ElasticDriver::take_figures() {
  const auto& requests = allocation_.requests();
  auto now = referee_.now();
  if (requests.is_acknowledged())
    wants_since_.reset();
  else if (!wants_since_)
    wants_since_ = now;
  const auto& executors = requests.executors();
  std::erase_if(released_, [&](const auto& x) {
    auto i = executors.find(x.first);
    return i == executors.end() || !i->second.released;
  });
  for (const auto& [exec_id, x] : executors)
    if (x.released)
      released_.emplace(exec_id, now);
}

std::optional<Instant> ElasticDriver::releases_since() const {
  std::optional<Instant> result;
  for (const auto& [exec_id, since] : released_)
    if (!result || since < *result)
      result = since;
  return result;
}

} // namespace stoker::simulation
