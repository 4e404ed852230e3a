#include "embedding/input_feeder.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using FeederSelf = InputFeederActor::stateful_pointer<InputFeederState>;

void feed(FeederSelf self);

void tell_failure(FeederSelf self, int exec_id,
                  const std::optional<std::string>& why) {
  if (why)
    self->state.failed("the input of executor " + std::to_string(exec_id)
                       + " cannot be written: " + *why);
}

void write_failed(FeederSelf self, int exec_id, const caf::error& e) {
  // The APP CLIENT has ended, and with it the application.
  if (e == caf::sec::request_receiver_down)
    return;
  auto& state = self->state;
  auto code = e == Errc::not_allowed ? Errc::not_allowed : Errc::no_answer;
  tell_failure(self, exec_id,
               state.progress.failed(state.clock->now(), exec_id, code,
                                     self->system().render(e)));
  feed(self);
}

void write(FeederSelf self, WriteInput x) {
  auto exec_id = x.executor.exec_id;
  self->request(self->state.client, caf::infinite, std::move(x))
      .then(
          [self, exec_id](const InputResponse& y) {
            tell_failure(self, exec_id,
                         self->state.progress.answered(exec_id, y));
            feed(self);
          },
          [self, exec_id](const caf::error& e) {
            write_failed(self, exec_id, e);
          });
}

/// Writes to all that can be written to.
void feed(FeederSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  auto& progress = state.progress;
  // First, so that nothing that comes meanwhile is missed.
  state.source->read_ahead(progress.needed().value_or(0));
  for (const auto& [exec_id, offset] : progress.ready(now)) {
    auto part = state.source->read(offset, progress.piece_bytes());
    if (!part)
      return state.failed(part.error().message);
    if (auto request = progress.write(exec_id, *std::move(part)))
      write(self, *std::move(request));
  }
  if (auto when = state.wake_up.ask_for(progress.due(now)))
    self->scheduled_send(self, state.clock->at(*when), FeederTick{});
}

} // namespace

InputFeederActor::behavior_type
input_feeder(FeederSelf self, AppClientActor client,
             std::shared_ptr<SeekableInput> source,
             std::function<void(const std::string&)> failed) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.client = std::move(client);
  state.source = std::move(source);
  state.failed = std::move(failed);
  state.source->on_arrival([handle = InputFeederActor{self}.address()] {
    if (auto target = caf::actor_cast<InputFeederActor>(handle))
      caf::anon_send(target, InputArrived{});
  });
  return {
      [self](const FeedFor& x) {
        self->state.progress.is_application(x.app_id);
      },
      [self](const FeedExecutor& x) {
        self->state.progress.started(x.exec_id, x.worker_id);
        feed(self);
      },
      [self](const FeedNoMore& x) {
        if (x.lost)
          self->state.progress.lost(x.exec_id);
        else
          self->state.progress.ended(x.exec_id);
        feed(self);
      },
      [self](const FeedAgain& x) {
        self->state.progress.found_again(x.exec_id);
        feed(self);
      },
      [self](const InputArrived&) {
        self->state.progress.arrived();
        feed(self);
      },
      [self](const FeederTick&) {
        self->state.wake_up.came(self->state.clock->now());
        feed(self);
      },
  };
}

} // namespace stoker
