#include "embedding/executor_outputs.hpp"

#include <cstdint>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "embedding/actor_failure.hpp"

namespace stoker {

ExecutorOutputs::ExecutorOutputs(
    ActorNetwork& network, const AppClientActor& client,
    std::function<void(std::vector<OutputNews>)> sink,
    const std::function<void(const std::string&)>& failed, bool may_drop)
    : self_(network.system()), collector_(network.system().spawn(
                                   output_collector, client, std::move(sink))),
      may_drop_(may_drop) {
  on_failure(network.system(),
             caf::actor_cast<caf::strong_actor_ptr>(collector_),
             "the actor that brings the output",
             [failed, has_failed = failed_](const std::string& why) {
               *has_failed = true;
               failed(why);
             });
}

ExecutorOutputs::~ExecutorOutputs() {
  caf::anon_send_exit(collector_, caf::exit_reason::user_shutdown);
}

void ExecutorOutputs::is_application(const AppId& id) {
  self_->send(collector_, CollectFor{id});
}

void ExecutorOutputs::added(const ExecutorAdded& x) {
  open_.insert(x.id);
  self_->send(collector_, CollectFrom{x.id, x.worker_id});
}

void ExecutorOutputs::updated(const ExecutorUpdated& x, bool was_lost) {
  if (was_lost) {
    open_.insert(x.id);
    self_->send(collector_, CollectAgainFrom{x.id});
  }
  if (x.state == ExecutorState::RUNNING)
    self_->send(collector_, ExecutorRuns{x.id});
  if (is_finished(x.state))
    self_->send(collector_, ExecutorHasEnded{x.id, x.state});
}

void ExecutorOutputs::application_is_over() {
  self_->send(collector_, ApplicationIsOver{});
}

void ExecutorOutputs::give_up(const std::string& why) {
  self_->send(collector_, GiveUpOutput{why});
}

void ExecutorOutputs::deliver(const OutputNews& x, int index,
                              RunObserver& observer) {
  if (x.dropped > 0) {
    incomplete_ = incomplete_ || !may_drop_;
    observer.output_dropped(index, x.standard_error, x.dropped);
  }
  if (!x.data.empty()) {
    observer.output(index, x.standard_error, x.data);
    self_->send(collector_,
                OutputConsumed{static_cast<std::int64_t>(x.data.size())});
  }
  if (x.problem)
    observer.output_problem(index, *x.problem);
  if (!x.closed)
    return;
  if (auto i = open_.find(x.exec_id); i != open_.end())
    open_.erase(i);
  observer.output_ended(index);
  if (x.loss) {
    incomplete_ = true;
    observer.output_problem(index, "its output is incomplete: " + *x.loss);
  }
}

bool ExecutorOutputs::all_brought() const {
  return open_.empty() || *failed_;
}

} // namespace stoker
