#include "embedding/executor_inputs.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "embedding/actor_failure.hpp"

namespace stoker {

ExecutorInputs::ExecutorInputs(
    ActorNetwork& network, const AppClientActor& client,
    std::shared_ptr<SeekableInput> source,
    const std::function<void(const std::string&)>& failed)
    : self_(network.system()),
      feeder_(network.system().spawn(input_feeder, client, std::move(source),
                                     failed)) {
  on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(feeder_),
             "the actor that writes the input", failed);
}

ExecutorInputs::~ExecutorInputs() {
  caf::anon_send_exit(feeder_, caf::exit_reason::user_shutdown);
}

void ExecutorInputs::is_application(const AppId& id) {
  self_->send(feeder_, FeedFor{id});
}

void ExecutorInputs::added(const ExecutorAdded& x) {
  self_->send(feeder_, FeedExecutor{x.id, x.worker_id});
}

void ExecutorInputs::updated(const ExecutorUpdated& x, bool was_lost) {
  if (was_lost)
    self_->send(feeder_, FeedAgain{x.id});
  if (is_finished(x.state))
    self_->send(feeder_, FeedNoMore{x.id, x.state == ExecutorState::LOST});
}

} // namespace stoker
