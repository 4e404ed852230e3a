#include "gateway/spark_caller.hpp"

#include <algorithm>
#include <utility>

#include <caf/send.hpp>

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

void call(CallerSelf self, const CallDriver& x) {
  if (self->state.present->contains(x.driver.endpoint)
      || self->clock().now() >= x.give_up_at)
    return;
  auto again = x;
  again.pause = std::min(x.pause * 2, longest_pause);
  auto failed = [handle = SparkCallerActor{self}, pause = x.pause,
                 again = std::move(again)] {
    caf::delayed_anon_send(handle, pause, again);
  };
  self->state.call(x.driver, std::move(failed));
}

/// A new leader has applications whose drivers may not know of it.
void call_all(CallerSelf self, const StoredState& stored, LeaderEpoch epoch) {
  for (const auto& app : stored.applications)
    if (app.description.spark_driver && !is_finished(app.state))
      call(self, {{app.id, app.driver, app.description, epoch},
                  first_pause,
                  self->clock().now() + patience});
}

} // namespace

SparkCallerActor::behavior_type
spark_caller(CallerSelf self, FeedActor feed, CallSparkDriver call_driver,
             std::shared_ptr<const PresentDrivers> present) {
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
      [self](const CallDriver& x) { call(self, x); },
  };
}

} // namespace stoker
