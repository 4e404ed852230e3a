#include "actors/allocation_manager.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "scheduling/allocation/allocation_news.hpp"

namespace stoker {

namespace {

using AllocationManagerSelf
    = AllocationManagerActor::stateful_pointer<AllocationManagerState>;

void make_step(AllocationManagerSelf self,
               const ExecutorAllocationEvent& event);

/// Carries out effects. All side effects of this actor are in this class.
class AllocationInterpreter {
public:
  explicit AllocationInterpreter(AllocationManagerSelf self) : self_(self) {
  }

  void operator()(const AskForTotal& x) const {
    const auto& request = x.request;
    ask(RequestExecutors{app_id(), request.total, request.hosts, request.gang},
        [request](std::optional<bool> accepted) {
          return TotalAnswered{request, accepted.value_or(false)};
        });
  }

  void operator()(const AskToKill& x) const {
    const auto& kills = x.kills;
    ask(KillExecutors{app_id(), kills.exec_ids},
        [kills](std::optional<bool> accepted) {
          return KillsAnswered{kills, accepted};
        });
  }

  void operator()(const AskIdleToLeave& x) const {
    auto self = self_;
    auto answer = [self, number = x.number](std::vector<int> exec_ids) {
      make_step(self, LeaveAnswered{number, std::move(exec_ids)});
    };
    if (!self->state.tasks)
      return tell_later(LeaveAnswered{x.number, {}});
    self->request(self->state.tasks, caf::infinite, LetIdleLeave{x.exec_ids})
        .then(answer, [answer](const caf::error&) { answer({}); });
  }

  void operator()(const AllocationWakesAt& x) const {
    self_->scheduled_send(
        self_, self_->state.clock->at(x.when),
        AllocationInternal{ExecutorAllocationEvent{AllocationWakeUp{}}});
  }

private:
  [[nodiscard]] AppId app_id() const {
    return self_->state.app_id.value_or(AppId{});
  }

  /// Asks the master.
  /// @param event_of Makes an event of its answer; unset: there was none.
  template <class Request, class EventOf>
  void ask(const Request& request, EventOf event_of) const {
    auto self = self_;
    if (!self->state.client || !self->state.app_id)
      return tell_later(event_of(std::nullopt));
    self->request(self->state.client, caf::infinite, request)
        .then([self, event_of](
                  bool accepted) { make_step(self, event_of(accepted)); },
              [self, event_of](const caf::error&) {
                make_step(self, event_of(std::nullopt));
              });
  }

  /// Not at once: this is in the middle of a step.
  void tell_later(ExecutorAllocationEvent event) const {
    self_->send(self_, AllocationInternal{std::move(event)});
  }

  AllocationManagerSelf self_;
};

void carry_out(AllocationManagerSelf self,
               const ExecutorAllocationEffects& effects) {
  for (const auto& effect : effects)
    std::visit(AllocationInterpreter{self}, effect);
}

void make_step(AllocationManagerSelf self,
               const ExecutorAllocationEvent& event) {
  auto& state = self->state;
  carry_out(self, state.allocation->step(state.clock->now(), event));
}

/// An application of instances: its news are its load, too. In one event: an executor is
/// not idle between its coming and its task's.
template <class T>
void follow_instances(AllocationManagerSelf self, const T& x) {
  auto& instances = self->state.instances;
  if (!instances)
    return;
  if (auto events = instances->after(x); !events.empty())
    make_step(self, LoadChanged{std::move(events)});
}

void hear(AllocationManagerSelf self, const ApplicationNews& x) {
  if (const auto* connected = std::get_if<ApplicationConnected>(&x))
    self->state.app_id = connected->id;
  if (auto event = allocation_event_of(x))
    make_step(self, *event);
  if (const auto* added = std::get_if<ExecutorAdded>(&x))
    follow_instances(self, *added);
  else if (const auto* updated = std::get_if<ExecutorUpdated>(&x))
    follow_instances(self, *updated);
}

AllocationManagerActor::behavior_type
begin(AllocationManagerSelf self, const AllocationSettings& settings,
      ExecutorAllocation::Executors executors) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.allocation.emplace(settings, executors);
  carry_out(self, state.allocation->start(state.clock->now()));
  return {
      [self](const AppClientActor& client, const TaskSchedulerActor& tasks) {
        self->state.client = client;
        self->state.tasks = tasks;
      },
      [self](const AllocationInternal& x) {
        if (const auto* news = std::get_if<ApplicationNews>(&x.what))
          hear(self, *news);
        else
          make_step(self, std::get<ExecutorAllocationEvent>(x.what));
      },
  };
}

/// @param message_of Makes a message for the manager of what the sink is told.
template <class MessageOf>
auto sink(const AllocationManagerActor& manager, MessageOf message_of) {
  return [weak = caf::actor_cast<caf::weak_actor_ptr>(manager),
          message_of](const auto& x) {
    if (auto strong = weak.lock())
      caf::anon_send(caf::actor_cast<AllocationManagerActor>(strong),
                     message_of(x));
  };
}

} // namespace

AllocationManagerActor::behavior_type
allocation_manager(AllocationManagerSelf self,
                   const AllocationSettings& settings) {
  return begin(self, settings, ExecutorAllocation::Executors::serve);
}

AllocationManagerActor::behavior_type
instance_allocation_manager(AllocationManagerSelf self,
                            const AllocationSettings& settings,
                            const Instances& instances) {
  auto result
      = begin(self, settings, ExecutorAllocation::Executors::run_one_task);
  const auto& load = self->state.instances.emplace(instances);
  make_step(self, LoadChanged{load.begin()});
  return result;
}

LoadSink load_sink(const AllocationManagerActor& manager) {
  return sink(manager, [](const AllocationEvents& x) {
    return AllocationInternal{ExecutorAllocationEvent{LoadChanged{x}}};
  });
}

ApplicationNewsSink news_sink(const AllocationManagerActor& manager) {
  return sink(manager,
              [](const ApplicationNews& x) { return AllocationInternal{x}; });
}

} // namespace stoker
