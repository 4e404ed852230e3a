#include "actors/feed.hpp"

#include <utility>

#include "actors/failure.hpp"

namespace stoker {

namespace {

using FeedSelf = FeedActor::stateful_pointer<FeedState>;

void answer_followers(FeedSelf self) {
  auto& state = self->state;
  for (auto& x : std::exchange(state.followers, {})) {
    const auto& [after, jobs] = x.question;
    FeedUpdate update{after, nullptr, {}};
    if (state.feed.has_news(after)) {
      update = state.feed.read(after);
    } else if (!jobs || *jobs == state.jobs) {
      state.followers.push_back(std::move(x));
      continue;
    }
    update.jobs = state.jobs;
    x.answer.deliver(std::move(update));
  }
}

} // namespace

FeedActor::behavior_type feed(FeedSelf self, std::size_t limit) {
  handle_the_unexpected(self);
  self->state.feed = ChangeFeed{limit};
  return {
      [self](const BeginFeed& x) {
        self->state.feed.begin(x.epoch, *x.stored);
        answer_followers(self);
      },
      [self](const PublishBatch& x) {
        self->state.feed.append(x.epoch, x.number, x.changes);
        answer_followers(self);
      },
      [self](const JobsReported&) {
        ++self->state.jobs;
        answer_followers(self);
      },
      [self](const FollowChanges& x) {
        auto promise = self->make_response_promise<FeedUpdate>();
        self->state.followers.push_back({x, promise});
        answer_followers(self);
        return promise;
      },
      [self](RequestFeedPosition) { return self->state.feed.position(); },
  };
}

} // namespace stoker
