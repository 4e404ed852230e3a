#include "embedding/output_collector.hpp"

#include <utility>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

using CollectorSelf
    = OutputCollectorActor::stateful_pointer<OutputCollectorState>;

/// Bytes that are under way, or wait to be consumed.
constexpr std::int64_t bytes_max = 16 * 1024 * 1024;

void go_on(CollectorSelf self);

void hand_over(CollectorSelf self, std::vector<OutputNews> news) {
  if (news.empty())
    return;
  for (const auto& x : news)
    self->state.unconsumed += static_cast<std::int64_t>(x.data.size());
  self->state.sink(std::move(news));
}

void failed(CollectorSelf self, const WorkerId& worker, const caf::error& e) {
  auto& state = self->state;
  auto why = self->system().render(e);
  // The APP CLIENT has ended: there is no way to anybody.
  if (e == caf::sec::request_receiver_down)
    return hand_over(self, state.progress.give_up("no master is there to ask"));
  auto code = e == Errc::not_found ? Errc::not_found : Errc::no_answer;
  hand_over(self, state.progress.failed(state.clock->now(), worker, code, why));
  go_on(self);
}

/// Asks for all that there is room for.
void go_on(CollectorSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  auto room = bytes_max - state.unconsumed;
  for (auto& request : state.progress.next_requests(now, room)) {
    auto worker = request.worker_id;
    self->request(state.client, caf::infinite, std::move(request))
        .then(
            [self, worker](OutputResponse& x) {
              auto& progress = self->state.progress;
              hand_over(self, progress.answered(self->state.clock->now(),
                                                worker, std::move(x)));
              go_on(self);
            },
            [self, worker](const caf::error& e) { failed(self, worker, e); });
  }
  if (auto when = state.wake_up.ask_for(state.progress.due(now)))
    self->scheduled_send(self, state.clock->at(*when), CollectorTick{});
}

} // namespace

OutputCollectorActor::behavior_type
output_collector(CollectorSelf self, AppClientActor client,
                 std::function<void(std::vector<OutputNews>)> sink) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.client = std::move(client);
  state.sink = std::move(sink);
  return {
      [self](const CollectFor& x) {
        self->state.progress.is_application(x.app_id);
      },
      [self](const CollectFrom& x) {
        self->state.progress.started(x.exec_id, x.worker_id);
        go_on(self);
      },
      [self](const ExecutorHasEnded& x) {
        hand_over(self, self->state.progress.ended(x.exec_id, x.state));
      },
      [self](const CollectAgainFrom& x) {
        hand_over(self, self->state.progress.found_again(
                            self->state.clock->now(), x.exec_id));
        go_on(self);
      },
      [self](const ExecutorRuns& x) { self->state.progress.ran(x.exec_id); },
      [self](const ApplicationIsOver&) {
        self->state.progress.application_is_over();
        go_on(self);
      },
      [self](const GiveUpOutput& x) {
        hand_over(self, self->state.progress.give_up(x.why));
      },
      [self](const OutputConsumed& x) {
        self->state.unconsumed -= x.bytes;
        go_on(self);
      },
      [self](const CollectorTick&) {
        self->state.wake_up.came(self->state.clock->now());
        go_on(self);
      },
  };
}

} // namespace stoker
