// Who has started or ended something over HTTP is answered when the pages show it, however
// late the feed tells them.

#include <algorithm>
#include <vector>

#include <caf/typed_response_promise.hpp>

#include "scheduling/master/snapshot.hpp"
#include "tests/web/pages_fixture.hpp"
#include "web/submissions.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace json = boost::json;

/// What is told from now on is held back, or told after all.
struct HoldNews {
  bool is_held = false;
};

using LateFeedActor = FeedActor::extend<caf::reacts_to<HoldNews>>;

struct LateFeedState {
  struct Item {
    caf::typed_response_promise<FeedUpdate> to;
    FeedUpdate what;
  };
  bool is_held = false;
  std::vector<Item> held;
  static constexpr const char* name = "late-feed";
};

/// A feed between the pages and the feed of the master: what follows is told when a test
/// says so.
LateFeedActor::behavior_type
late_feed(LateFeedActor::stateful_pointer<LateFeedState> self,
          const FeedActor& of) {
  return {
      [](const BeginFeed&) { FAIL("no master knows this feed"); },
      [](const PublishBatch&) { FAIL("no master knows this feed"); },
      [](JobsReported) { FAIL("no master knows this feed"); },
      [=](const FollowChanges& x) {
        auto promise = self->make_response_promise<FeedUpdate>();
        self->request(of, caf::infinite, x)
            .then(
                [=](const FeedUpdate& y) mutable {
                  if (self->state.is_held)
                    self->state.held.push_back({promise, y});
                  else
                    promise.deliver(y);
                },
                [=](const caf::error& e) mutable { promise.deliver(e); });
        return promise;
      },
      [=](RequestFeedPosition x) { return self->delegate(of, x); },
      [=](HoldNews x) {
        self->state.is_held = x.is_held;
        for (auto& y : std::exchange(self->state.held, {}))
          y.to.deliver(y.what);
      },
  };
}

struct ShownAnswersFixture : PagesFixture {
  LateFeedActor late;
  SubmissionsActor actor;

  /// Of what Spark's clients asked last.
  std::optional<HttpResponse> of_submission;

  ShownAnswersFixture() {
    start();
    kill(pages);
    late = spawn(late_feed, feed);
    feed = late;
    show(master);
    register_worker("w1");
    // The pages ask the master first.
    read();
    actor = spawn(submissions,
                  SubmissionsConfig{master,
                                    SparkUsers::any,
                                    {"spark://127.0.0.1:7077", 6066, "4.1.4"}});
    caf::anon_send(actor, PagesAreOpen{pages});
    hold_news();
  }

  /// Nobody is left without an answer.
  ~ShownAnswersFixture() {
    tell_news();
  }

  void hold_news(bool is_held = true) {
    caf::anon_send(late, HoldNews{is_held});
    scheduler.run();
  }

  /// Tells what is held, and all that follows.
  void tell_news() {
    hold_news(false);
  }

  void submit() {
    send("POST", "/api/v1/drivers", R"({"command":["sleep","9"]})");
  }

  void ask_as_spark(const std::string& path, const std::string& body = {}) {
    of_submission.reset();
    HttpRequest request;
    request.method = "POST";
    request.path = "/v1/submissions/" + path;
    request.body = body;
    request.here = {"127.0.0.1", 1};
    request.peer = peer;
    caf::anon_send(actor, AnswerSubmission{request, std::make_shared<HttpReply>(
                                                        [this](HttpResponse x) {
                                                          of_submission
                                                              = std::move(x);
                                                        })});
    scheduler.run();
  }

  void submit_as_spark() {
    ask_as_spark("create", R"({"action":"CreateSubmissionRequest",)"
                           R"("appResource":"/a.jar","mainClass":"Main",)"
                           R"("clientSparkVersion":"4.1.4"})");
  }

  std::vector<std::string> active_drivers() {
    std::vector<std::string> result;
    const auto state = read();
    for (const auto& x : state.at("activedrivers").as_array())
      result.emplace_back(x.at("id").as_string());
    return result;
  }
};

std::string text_at(const std::optional<HttpResponse>& x, const char* name) {
  REQUIRE(x);
  return json::parse(*x->body).at(name).as_string().c_str();
}

} // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(HoldNews)

TEST_CASE_METHOD(ShownAnswersFixture,
                 "who has started or ended a driver is shown it", "[web]") {
  submit();
  CHECK_FALSE(response);
  tell_news();
  REQUIRE(response);
  CHECK(response->status == 201);
  auto id = text_at(response, "driver_id");
  CHECK(active_drivers() == std::vector{id});
  hold_news();
  send("POST", "/api/v1/drivers/" + id + "/kill");
  CHECK_FALSE(response);
  tell_news();
  CHECK(text_at(response, "killed") == id);
  get("/api/v1/drivers/" + id);
  CHECK(text_at(response, "message") == being_ended_text);
}

TEST_CASE_METHOD(ShownAnswersFixture, "so are Spark's clients", "[web]") {
  submit_as_spark();
  CHECK_FALSE(of_submission);
  tell_news();
  auto id = text_at(of_submission, "submissionId");
  CHECK(active_drivers() == std::vector{id});
  hold_news();
  auto all = GENERATE(true, false);
  ask_as_spark(all ? "killall" : "kill/" + id);
  CHECK_FALSE(of_submission);
  tell_news();
  REQUIRE(of_submission);
  CHECK(of_submission->status == 200);
  CHECK(active_drivers().empty());
}

TEST_CASE_METHOD(ShownAnswersFixture, "who was refused does not wait",
                 "[web]") {
  // The news of it is held back.
  submit();
  send("POST", "/api/v1/drivers", R"({"command":["x"],"cores":999})");
  REQUIRE(response);
  CHECK(response->status == 409);
  send("POST", "/api/v1/drivers/driver-0-0/kill");
  REQUIRE(response);
  CHECK(response->status == 404);
  ask_as_spark("create", "{}");
  REQUIRE(of_submission);
  CHECK(of_submission->status == 400);
}

TEST_CASE_METHOD(ShownAnswersFixture,
                 "what reads only does not wait for what it does not change",
                 "[web]") {
  submit();
  CHECK_FALSE(response);
  CHECK(active_drivers().empty());
  get("/api/v1/queues");
  REQUIRE(response);
  CHECK(response->status == 200);
}

TEST_CASE_METHOD(ShownAnswersFixture,
                 "each is answered when his own order is shown", "[web]") {
  submit();
  tell_news();
  hold_news();
  submit();
  // What follows is told by another answer of the feed.
  submit_as_spark();
  CHECK_FALSE(response);
  CHECK_FALSE(of_submission);
  // What was held is told, and what follows is held.
  hold_news();
  REQUIRE(response);
  CHECK(response->status == 201);
  CHECK_FALSE(of_submission);
  tell_news();
  REQUIRE(of_submission);
  CHECK(active_drivers().size() == 3);
}
