// Pages for people: what they show of a master, and how they change.

#include <map>

#include "pages/cells.hpp"
#include "tests/support/contains.hpp"
#include "tests/web/pages_fixture.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

struct PeoplePagesFixture : PagesFixture {
  std::string read_page(const std::string& target, unsigned status = 200) {
    get(target);
    REQUIRE(response);
    CHECK(response->status == status);
    CHECK(response->content_type == "text/html;charset=utf-8");
    return *response->body;
  }

  /// Begins to follow a page: all that he is sent.
  std::shared_ptr<std::string> follow(const std::string& target) {
    get("/live?page=" + pages::url_encoded(target));
    REQUIRE(response);
    REQUIRE(response->stream);
    stream = response->stream;
    auto result = std::make_shared<std::string>();
    stream->attach([result](const HttpStream::Piece& x) { *result += *x; });
    return result;
  }

  /// Time passes, and the reader takes what he is sent.
  void read_for(std::chrono::milliseconds time) {
    constexpr auto step = 100ms;
    for (auto left = time; left > 0ms; left -= step) {
      stream->sent(stream->unsent());
      advance(step);
    }
  }

  /// What the master says of its workers is asked for when somebody reads.
  void ask_again() {
    advance(2s);
    read_page("/");
  }

  std::shared_ptr<HttpStream> stream;
};

} // namespace

TEST_CASE_METHOD(PeoplePagesFixture, "each list and each thing has a page",
                 "[web]") {
  start();
  register_worker("w1");
  CHECK(contains(read_page("/"), "1 alive"));
  CHECK(contains(read_page("/"), "Drivers that ended last"));
  CHECK(contains(read_page("/workers"), "href=\"/workers/w1\""));
  CHECK(contains(read_page("/workers/w1"), "Worker w1"));
  CHECK(contains(read_page("/applications"), "0 ended"));
  CHECK(contains(read_page("/applications?state=ended"), "0 not ended"));
  CHECK(contains(read_page("/drivers"), "There is none."));
  CHECK(contains(read_page("/queues"), "Nothing runs or waits."));
  CHECK(contains(read_page("/jobs"), "No driver has told of a job."));
  CHECK(contains(read_page("/history"), "Nothing of this kind has ended"));
  CHECK(contains(read_page("/events"), "worker-registered"));
  CHECK(contains(read_page("/events?of=w9"),
                 "Nothing that names it has happened"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a list counts of the other one what it would show of it",
                 "[web]") {
  start();
  for (const auto* user : {"ann", "bob", "bob"}) {
    RequestSubmitDriver submission;
    submission.driver_description.user = user;
    submission.driver_description.cores = 1;
    submission.driver_description.memory_mb = 1;
    submission.driver_description.command.arguments = {"true"};
    REQUIRE(ask<SubmitDriverResponse>(master, submission)->driver_id);
  }
  CHECK(contains(read_page("/drivers?state=ended"), "3 not ended"));
  CHECK(contains(read_page("/drivers?state=ended&user=bob"), "2 not ended"));
  CHECK(contains(read_page("/drivers?state=ended&user=eve"), "0 not ended"));
  CHECK(contains(read_page("/applications?user=eve"), "0 ended"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "the first page says of each list how much it leaves out",
                 "[web]") {
  start();
  for (int i = 0; i < 21; ++i)
    send("POST", "/api/v1/drivers", R"({"command":["x"],"wait":true})");
  auto page = read_page("/");
  CHECK(contains(page, "0 running, 21 waiting"));
  CHECK(contains(page, "20 of 21 are shown here. <a href=\"/drivers\">"));
  CHECK_FALSE(contains(page, "href=\"/drivers?state=ended\">See all"));
  for (int i = 0; i < 21; ++i)
    register_worker("w" + std::to_string(i));
  ask_again();
  page = read_page("/");
  CHECK(contains(page, "20 of 21 are shown here. <a href=\"/workers\">"));
}

TEST_CASE_METHOD(PeoplePagesFixture, "what is not known has no page", "[web]") {
  start();
  for (const auto* path :
       {"/workers/w9", "/applications/app-9", "/drivers/driver-9",
        "/executors/app-9/0", "/jobs/app-9/0", "/nothing"})
    CHECK(contains(read_page(path, 404), "Not there"));
  auto page = read_page("/executors/app-9/0", 404);
  CHECK(contains(page, "href=\"/executors/app-9/0\">app-9/0</a>"));
  CHECK(contains(page, "href=\"/history?id=app-9%2F0\""));
  CHECK_FALSE(contains(read_page("/workers/w9", 404), "/history?id"));
  CHECK(contains(read_page("/nothing", 404), "There is no page /nothing."));
}

TEST_CASE_METHOD(PeoplePagesFixture, "what is not understood of a page is told",
                 "[web]") {
  start();
  auto page = read_page("/applications?state=foo", 400);
  CHECK(contains(page, "State is &#39;foo&#39;"));
  CHECK(contains(page, "href=\"/applications\""));
  read_page("/workers?page=-1", 400);
  get("/live?page=%2Fworkers%3Fpage%3D-1");
  CHECK(response->status == 404);
  CHECK(
      contains(read_page("/history?kind=foo", 400), "is none of applications"));
  CHECK(contains(read_page("/history?after=1", 400),
                 "not where an answer ended"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a later part of a history leads to its first one", "[web]") {
  start();
  for (const auto* user : {"", "user=ann"}) {
    auto page = read_page("/history?after=1%20app-1&" + std::string{user});
    const std::string first{*user == 0 ? "/history" : "/history?user=ann"};
    CHECK(contains(page, "href=\"" + first + "\">Go back to what ended last"));
    CHECK(contains(page, "href=\"" + first + "\">First</a>"));
  }
}

TEST_CASE_METHOD(PeoplePagesFixture, "a worker's page has its drivers",
                 "[web]") {
  start();
  register_worker("w1");
  send("POST", "/api/v1/drivers", R"({"command":["nap"]})");
  REQUIRE(response);
  auto id = std::string{
      boost::json::parse(*response->body).at("driver_id").as_string()};
  CHECK(contains(read_page("/workers/w1"), "href=\"/drivers/" + id));
}

TEST_CASE_METHOD(PeoplePagesFixture, "lists are looked through", "[web]") {
  start();
  for (const auto* name : {"sort-1", "sort-2", "scan"})
    send("POST", "/api/v1/drivers",
         R"({"command":["x"],"wait":true,"name":")" + std::string{name}
             + R"("})");
  auto rows = [&](const std::string& query) {
    auto page = read_page("/drivers" + query);
    auto result = 0;
    for (const auto* name : {"sort-1<", "sort-2<", "scan<"})
      result += contains(page, name) ? 1 : 0;
    return result;
  };
  CHECK(rows("") == 3);
  CHECK(rows("?name=sort") == 2);
  CHECK(rows("?name=scan&user=nobody-here") == 0);
  CHECK(rows("?state=ended&name=sort") == 0);
  CHECK(contains(read_page("/drivers?name=sort"),
                 "href=\"/drivers?state=ended&amp;name=sort\""));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a list in which nothing is found says so, and leads to all",
                 "[web]") {
  start();
  for (const auto& [target, said] :
       {std::pair{"/drivers?user=nobody",
                  "None of them is of user nobody. <a href=\"/drivers\">"},
        std::pair{"/drivers?state=ended&user=nobody",
                  "nobody. <a href=\"/drivers?state=ended\">See all"},
        std::pair{"/applications?name=x",
                  "in its name. <a href=\"/applications\">"},
        std::pair{"/history?company=x",
                  "Nothing that was looked for has ended, or it is not kept "
                  "any more. <a href=\"/history\">"},
        std::pair{"/events?of=x", "began to look. <a href=\"/events\">"}}) {
    auto page = read_page(target);
    CHECK(contains(page, said));
    CHECK_FALSE(contains(page, "There is none."));
  }
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "workers are shown by id, with why they idle", "[web]") {
  start();
  for (const auto* id : {"w2", "w3", "w1"})
    register_worker(id);
  auto page = read_page("/workers");
  CHECK(page.find("/workers/w1") < page.find("/workers/w2"));
  CHECK(page.find("/workers/w2") < page.find("/workers/w3"));
  caf::anon_send(master, DecommissionWorkers{{WorkerId{"w1"}}});
  scheduler.run();
  ask_again();
  CHECK(contains(read_page("/workers/w1"), "it leaves"));
  caf::send_as(caf::actor_cast<caf::actor>(worker), master,
               WorkerLeft{WorkerId{"w1"}, EndpointId{"w1"}});
  scheduler.run();
  ask_again();
  CHECK(contains(read_page("/workers/w1"), "it has left"));
  CHECK(contains(read_page("/"), "2 alive, 1 left"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "pages let no other page show them, and run no other script",
                 "[web]") {
  start();
  read_page("/");
  std::map<std::string, std::string> fields{response->fields.begin(),
                                            response->fields.end()};
  CHECK(contains(fields["Content-Security-Policy"], "default-src 'none'"));
  CHECK(contains(fields["Content-Security-Policy"], "frame-ancestors 'none'"));
  CHECK_FALSE(contains(fields["Content-Security-Policy"], "unsafe"));
  CHECK(fields["X-Frame-Options"] == "DENY");
  CHECK(fields["Referrer-Policy"] == "same-origin");
}

TEST_CASE_METHOD(PeoplePagesFixture, "whom the kernel does not know gets none",
                 "[web]") {
  start(SparkUsers::local);
  for (const auto* path :
       {"/", "/live?page=%2F", "/logs/executors/app-1/0/stdout"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 403);
  }
}

TEST_CASE_METHOD(PeoplePagesFixture, "who follows a page sees what changes",
                 "[web]") {
  start();
  auto sent = follow("/workers");
  read_for(1s);
  CHECK(contains(*sent, "\"status\":\"ALIVE\""));
  CHECK(contains(*sent, "No worker has registered"));
  sent->clear();
  register_worker("w1");
  read_for(1s);
  CHECK(contains(*sent, "/workers/w1"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "who follows what the master does not know is told so, until "
                 "it does",
                 "[web]") {
  start();
  auto sent = follow("/workers/w1");
  read_for(1s);
  CHECK(contains(*sent, "event: missing"));
  CHECK(contains(*sent, "The master does not know worker w1, or not any more"));
  sent->clear();
  read_for(15s);
  CHECK(contains(*sent, "\"status\":\"ALIVE\""));
  CHECK_FALSE(contains(*sent, "event: missing"));
  register_worker("w1");
  read_for(1s);
  CHECK(contains(*sent, "\"id\":\"facts\""));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "who follows a page of what does not change is sent nothing",
                 "[web]") {
  start();
  register_worker("w1");
  auto sent = follow("/queues");
  read_for(2s);
  sent->clear();
  read_for(5s);
  CHECK(sent->empty());
}

TEST_CASE_METHOD(PeoplePagesFixture, "there is nothing to follow of no page",
                 "[web]") {
  start();
  for (const auto* path : {"/live", "/live?page=nothing", "/live?page=%2Fno"}) {
    get(path);
    REQUIRE(response);
    CHECK(response->status == 404);
  }
  get("/live?page=%2Fworkers%2F" + std::string(2000, 'a'));
  CHECK(response->status == 404);
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a page is shown while the master is busy, as it was just now",
                 "[web]") {
  start();
  register_worker("w1");
  read_page("/");
  kill(master);
  advance(2s);
  CHECK(contains(read_page("/workers"), "w1"));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a history that is followed shows what has ended since",
                 "[web]") {
  start();
  auto text = follow("/history?since=1h");
  read_for(1s);
  CHECK(contains(*text, "Nothing that was looked for has ended"));
  CHECK_FALSE(contains(*text, "There is no history"));
  RequestSubmitDriver submission;
  submission.driver_description.name = "short";
  submission.driver_description.user = "ann";
  submission.driver_description.memory_mb = 1;
  submission.driver_description.command.arguments = {"true"};
  auto id = ask<SubmitDriverResponse>(master, submission)->driver_id.value();
  CHECK(ask<KillDriverResponse>(master, RequestKillDriver{id})->success);
  text->clear();
  // It is read from a file: not with each change.
  read_for(3s);
  CHECK_FALSE(contains(*text, id.value));
  read_for(10s);
  CHECK(contains(*text, id.value));
  CHECK_FALSE(contains(*text, "name=\\\"since\\\""));
}

TEST_CASE_METHOD(PeoplePagesFixture,
                 "a history's use by month is of what it is looked through for",
                 "[web]") {
  start();
  CHECK(contains(read_page("/history"), "Nothing has been used yet."));
  auto page = read_page("/history?user=ann&state=failed&until=2000-01-01");
  CHECK_FALSE(contains(page, "Nothing has been used yet."));
  CHECK(contains(page, "Nothing of that has been used."));
  CHECK(contains(page, "use of user ann in whole months to 1999-12."));
  CHECK(contains(page, "no kind, id, name or state counts here"));
}

TEST_CASE_METHOD(PeoplePagesFixture, "a form shows what would happen",
                 "[web]") {
  start();
  register_worker("w1");
  CHECK_FALSE(contains(read_page("/plan"), "Executors that would be started"));
  auto page = read_page("/plan?executors=2&executor-cores=2&user=ann");
  CHECK(contains(page, "Executors that would be started"));
  CHECK(contains(page, "Afterwards 0 of 4 cores and 2 GB of 4 GB"));
  CHECK(contains(page, "name=\"executors\" value=\"2\""));
  CHECK(contains(page, "asks for 2 executors with 2 cores and 1 GB each."));
  // What there is has a page, and what the plan brings has none.
  CHECK(contains(page, "<a href=\"/workers/w1\">w1</a>"));
  CHECK_FALSE(contains(page, "href=\"/applications/app-"));
  CHECK(contains(page, "What would become of drivers"));
  auto wrong = read_page("/plan?executors=x", 400);
  CHECK(contains(wrong, "is not a number"));
  CHECK(contains(wrong, "role=\"alert\""));
  CHECK(contains(read_page("/plan?executors=2&executor-cores=99&user=x"),
                 "no worker has so much: the most that any has is 4 cores"));
  CHECK(contains(read_page("/plan?executor-memory=4"), "1 core and 4 MB."));
  // An id stays as it was typed.
  auto unknown = read_page("/plan?remove-worker=nope", 400);
  CHECK(contains(unknown, "Worker nope is not here."));
  CHECK_FALSE(contains(unknown, "nope goes"));
  CHECK(contains(read_page("/plan?end-app=nope", 400),
                 "Application nope is not running here."));
  get("/live?page=%2Fplan");
  CHECK(response->status == 404);
}
