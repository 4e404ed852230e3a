#include "gateway/spark_caller.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include "actors/failure.hpp"

namespace stoker {

namespace {

using CallerSelf = SparkCallerActor::stateful_pointer<SparkCallerState>;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{5'000};

/// As long as Spark's master waits for drivers and workers [spark.worker.timeout].
constexpr auto patience = 60s;

void follow(CallerSelf self) {
  self->request(self->state.feed, caf::infinite,
                FollowChanges{self->state.position})
      .then([self](FeedUpdate& x) {
        self->send(SparkCallerActor{self}, std::move(x));
      });
}

const EndpointId& endpoint_of(const SparkDriverRecall& x) {
  return x.endpoint;
}

const EndpointId& endpoint_of(const SparkWorkerRecall& x) {
  return x.worker.endpoint;
}

void warn_unreachable(const SparkDriverRecall& x, const std::string& why) {
  spdlog::warn("[spark-driver-unreachable] application={}: {}", x.app_id.value,
               why);
}

void warn_unreachable(const SparkWorkerRecall& x, const std::string& why) {
  spdlog::warn("[spark-worker-unreachable] worker={}: {}", x.worker.id.value,
               why);
}

void call(CallerSelf self, const CallPeer& x) {
  const auto& endpoint = std::visit(
      [](const auto& peer) -> const EndpointId& { return endpoint_of(peer); },
      x.whom);
  if (self->state.present->contains(endpoint)
      || self->clock().now() >= x.give_up_at)
    return;
  auto again = x;
  again.pause = std::min(x.pause * 2, longest_pause);
  auto failed = [handle = SparkCallerActor{self}, pause = x.pause,
                 again = std::move(again)](const std::string& why) {
    // One line for each, however many are gone and however long.
    if (pause == first_pause)
      std::visit([&](const auto& peer) { warn_unreachable(peer, why); },
                 again.whom);
    caf::delayed_anon_send(handle, pause, again);
  };
  self->state.call(x.whom, std::move(failed));
}

/// A new leader has workers and applications that may not know of it.
void call_all(CallerSelf self, const StoredState& stored, LeaderEpoch epoch) {
  auto begin
      = [self, give_up_at = self->clock().now() + patience](SparkRecall whom) {
          call(self, {std::move(whom), first_pause, give_up_at});
        };
  for (const auto& worker : stored.workers)
    if (worker.only_spark)
      begin(SparkWorkerRecall{worker});
  for (const auto& app : stored.applications)
    if (app.description.spark_driver && !is_finished(app.state))
      begin(SparkDriverRecall{app.id, app.driver, app.description, epoch});
}

} // namespace

SparkCallerActor::behavior_type
spark_caller(CallerSelf self, FeedActor feed, CallSparkPeer call_driver,
             std::shared_ptr<const PresentPeers> present) {
  handle_the_unexpected(self);
  self->state.feed = std::move(feed);
  self->state.call = std::move(call_driver);
  self->state.present = std::move(present);
  follow(self);
  return {
      [self](const FeedUpdate& x) {
        auto begins = x.position.epoch != self->state.position.epoch;
        self->state.position = x.position;
        if (begins && x.snapshot)
          call_all(self, *x.snapshot, x.position.epoch);
        follow(self);
      },
      [self](const CallPeer& x) { call(self, x); },
  };
}

} // namespace stoker
