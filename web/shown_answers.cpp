#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "web/cluster_pages_tasks.hpp"

namespace stoker {

HttpReplyPtr when_shown(const ClusterPagesActor& pages, HttpReplyPtr reply) {
  if (!pages)
    return reply;
  // By address: the pages keep replies, and must not keep themselves.
  return std::make_shared<HttpReply>(
      [address = pages.address(), reply = std::move(reply)](HttpResponse x) {
        auto there = caf::actor_cast<ClusterPagesActor>(address);
        if (!there || x.status >= 400)
          return reply->answer(std::move(x));
        caf::anon_send(there, AnswerWhenShown{std::move(x), reply});
      });
}

// The master has published what it did before it has answered.
void answer_when_shown(PagesSelf self, const AnswerWhenShown& x) {
  self->request(self->state.config.feed, caf::infinite, RequestFeedPosition{})
      .then(
          [self, x](const FeedPosition& when) {
            self->state.unshown.push_back({when, x});
            answer_shown(self->state);
          },
          // The feed has ended with the master. What was done is done.
          [x](const caf::error&) { x.reply->answer(x.response); });
}

void answer_shown(ClusterPagesState& state) {
  auto& unshown = state.unshown;
  auto first = std::stable_partition(
      unshown.begin(), unshown.end(),
      [&](const auto& x) { return x.when > state.shown; });
  if (first == unshown.end())
    return;
  state.news_told = state.news;
  std::vector due(std::make_move_iterator(first),
                  std::make_move_iterator(unshown.end()));
  unshown.erase(first, unshown.end());
  for (const auto& x : due)
    x.answer.reply->answer(x.answer.response);
}

} // namespace stoker
