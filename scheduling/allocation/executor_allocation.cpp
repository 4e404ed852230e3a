#include "scheduling/allocation/executor_allocation.hpp"

#include <utility>

namespace stoker {

namespace {

ExecutorRequestsConfig
requests_config(const AllocationSettings& x,
                ExecutorAllocation::Executors executors) {
  ExecutorRequestsConfig result;
  result.slots = slots(x);
  result.gives_none_back
      = executors == ExecutorAllocation::Executors::run_one_task;
  return result;
}

} // namespace

ExecutorAllocation::ExecutorAllocation(const AllocationSettings& settings,
                                       Executors executors)
    : manager_(settings), requests_(requests_config(settings, executors),
                                    initial_target(settings)) {
}

ExecutorAllocationEffects ExecutorAllocation::start(Instant now) {
  now_ = now;
  carry_out(manager_.start(now));
  return finish_step();
}

ExecutorAllocationEffects
ExecutorAllocation::step(Instant now, const ExecutorAllocationEvent& what) {
  now_ = now;
  wake_up_.came(now);
  std::visit([this](const auto& x) { on(x); }, what);
  return finish_step();
}

ExecutorAllocationEffects ExecutorAllocation::finish_step() {
  send();
  auto next = manager_.next_due();
  // What was refused is asked again.
  if (refused_)
    next = earlier(next, now_ + AllocationManager::interval);
  if (auto when = wake_up_.ask_for(next))
    out_.emplace_back(AllocationWakesAt{*when});
  return std::exchange(out_, {});
}

// -- what the manager decides ---------------------------------------------------

void ExecutorAllocation::decide(const AllocationEvent& x) {
  carry_out(manager_.step(now_, x));
}

void ExecutorAllocation::carry_out(const AllocationActions& actions) {
  for (const auto& action : actions)
    std::visit([this](const auto& x) { carry_out(x); }, action);
}

void ExecutorAllocation::carry_out(const WantTotal& x) {
  requests_.request_total(x.total, *x.locality, x.gang);
  open_want_ = x.number;
  request_of_want_.reset();
  send();
  if (request_of_want_ || !open_want_)
    return;
  // The master knows, was asked already, or cannot be asked.
  if (in_flight_ && !requests_.is_acknowledged())
    request_of_want_ = in_flight_;
  else
    answer_want(requests_.is_acknowledged());
}

void ExecutorAllocation::carry_out(const EndIdle& x) {
  out_.emplace_back(AskIdleToLeave{x.number, x.exec_ids});
}

void ExecutorAllocation::answer_want(bool acknowledged) {
  request_of_want_.reset();
  auto number = std::exchange(open_want_, std::nullopt);
  if (!number)
    return;
  decide(WantTotalAnswered{*number, acknowledged});
  // What was refused is not wanted any more.
  if (!acknowledged && !open_want_)
    requests_.request_total(manager_.status().target, {},
                            manager_.status().gang);
}

/// Tells the master what it does not know yet: the total first, or it would replace
/// those that end.
void ExecutorAllocation::send() {
  send_total();
  if (auto kills = requests_.take_kills())
    out_.emplace_back(AskToKill{*std::move(kills)});
}

void ExecutorAllocation::send_total() {
  if (refused_)
    return;
  auto request = requests_.take_request();
  if (!request)
    return;
  in_flight_ = request->number;
  if (open_want_)
    request_of_want_ = in_flight_;
  out_.emplace_back(AskForTotal{*std::move(request)});
}

// -- what happens ---------------------------------------------------------------

void ExecutorAllocation::on(const LoadChanged& x) {
  for (const auto& event : x.events)
    decide(event);
}

void ExecutorAllocation::on(const AllocationWakeUp&) {
  refused_ = false;
  // Not earlier: what an event makes due waits a little.
  if (auto due = manager_.next_due(); due && *due <= now_)
    decide(AllocationTick{});
}

void ExecutorAllocation::on(const LeaveAnswered& x) {
  (void)requests_.kill(x.exec_ids);
  decide(EndIdleAnswered{x.number, x.exec_ids});
}

// -- the master -----------------------------------------------------------------

void ExecutorAllocation::on(const LeaderFollowed& x) {
  if (!requests_.leader_is(x.epoch))
    return;
  // What an earlier leader was asked is asked again.
  request_of_want_.reset();
  in_flight_.reset();
  refused_ = false;
  naming_.reset();
  if (x.names_executors)
    naming_ = x.epoch;
}

void ExecutorAllocation::on(const LeaderLost&) {
  requests_.leader_is_lost();
  naming_.reset();
  in_flight_.reset();
  answer_want(false);
}

void ExecutorAllocation::on(const ExecutorGranted& x) {
  (void)requests_.granted(x.exec_id, x.host);
}

void ExecutorAllocation::on(const GrantedExecutorEnded& x) {
  (void)requests_.ended(now_, x.exec_id, x.is_failure);
}

void ExecutorAllocation::on(const TotalAnswered& x) {
  if (!requests_.request_answered(x.request, x.accepted))
    return;
  in_flight_.reset();
  refused_ = !x.accepted;
  if (x.accepted && naming_ == x.request.epoch) {
    naming_.reset();
    (void)requests_.list_is_complete(x.request.epoch);
  }
  if (request_of_want_ == x.request.number)
    answer_want(x.accepted);
}

void ExecutorAllocation::on(const KillsAnswered& x) {
  if (x.accepted)
    requests_.kills_answered(x.kills, *x.accepted);
}

} // namespace stoker
