#include "web/cluster_pages.hpp"

#include <string_view>
#include <utility>

#include <boost/json/serialize.hpp>

#include "actors/failure.hpp"
#include "web/spark_state.hpp"

namespace stoker {

namespace {

using PagesSelf = ClusterPagesActor::stateful_pointer<ClusterPagesState>;

constexpr std::chrono::milliseconds ask_every{1000};

/// A master that is busy for longer is not waited for.
constexpr std::chrono::milliseconds answer_patience{1000};

constexpr std::string_view json_path = "/json/";

void follow(PagesSelf self) {
  auto& state = self->state;
  self->request(state.config.feed, caf::infinite,
                FollowChanges{state.copy.position()})
      .then(
          [self](const FeedUpdate& x) {
            self->state.copy.follow(x);
            self->state.texts.clear();
            follow(self);
          },
          // The master has ended, and its feed with it.
          [self](const caf::error&) { self->quit(); });
}

/// As "workers"; empty: all. Nothing else.
std::string field_of(const HttpRequest& x) {
  if (!x.path.starts_with(json_path))
    return {};
  auto result = x.path.substr(json_path.size());
  if (result.ends_with('/'))
    result.pop_back();
  return is_spark_state_part(result) ? result : std::string{};
}

std::shared_ptr<const std::string> text_of(PagesSelf self,
                                           const std::string& field) {
  auto& state = self->state;
  if (auto found = state.texts.find(field); found != state.texts.end())
    return found->second;
  auto page = spark_state_part(
      spark_state(state.copy, state.config.url, state.clock->now()), field);
  auto result
      = std::make_shared<const std::string>(boost::json::serialize(page));
  state.texts.emplace(field, result);
  return result;
}

void answer(PagesSelf self, const AnswerPage& x) {
  if (!self->state.copy.observation())
    return x.reply->answer(http_problem(503, "the master does not answer"));
  HttpResponse response;
  // Spark's own.
  response.content_type = "text/json;charset=utf-8";
  response.body = text_of(self, field_of(x.request));
  x.reply->answer(std::move(response));
}

void answer_waiting(PagesSelf self) {
  for (const auto& x : std::exchange(self->state.waiting, {}))
    answer(self, x);
}

void ask_master(PagesSelf self) {
  auto& state = self->state;
  state.is_asking = true;
  state.asked = state.clock->now();
  RequestMasterState question;
  question.applications = question.drivers = false;
  self->request(state.config.master, answer_patience, question)
      .then(
          [self](const MasterStateResponse& x) {
            auto& s = self->state;
            s.is_asking = false;
            s.copy.observe(x, s.clock->now());
            // Durations go on, too.
            s.texts.clear();
            answer_waiting(self);
          },
          [self](const caf::error&) {
            self->state.is_asking = false;
            answer_waiting(self);
          });
}

void hear(PagesSelf self, const AnswerPage& x) {
  auto& state = self->state;
  auto user = user_of_peer(state.config.users, x.request.here, x.request.peer,
                           "asks");
  if (!user) {
    state.refusals.warn(to_string(x.request.peer) + ": "
                        + user.error().message);
    return x.reply->answer(http_problem(403, user.error().message));
  }
  auto is_due = !state.asked || state.clock->now() - *state.asked >= ask_every;
  if (!state.is_asking && !is_due && state.copy.observation())
    return answer(self, x);
  state.waiting.push_back(x);
  if (!state.is_asking)
    ask_master(self);
}

} // namespace

ClusterPagesActor::behavior_type cluster_pages(PagesSelf self,
                                               ClusterPagesConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  self->state.clock.emplace(self->clock());
  follow(self);
  return {[self](const AnswerPage& x) { hear(self, x); }};
}

} // namespace stoker
