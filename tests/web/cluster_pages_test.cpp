// Who reads of the cluster reads a copy, which costs the master one question a second.

#include "web/cluster_pages.hpp"

#include <optional>

#include <boost/json/parse.hpp>

#include "actors/master.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

struct PagesFixture : DeterministicSystem {
  FeedActor feed = spawn(stoker::feed, std::size_t{100});
  MasterActor master;
  ClusterPagesActor pages;
  WorkerActor worker = spawn(worker_recorder, std::make_shared<WorkerRecord>());
  std::optional<HttpResponse> response;

  void start(SparkUsers users = SparkUsers::any) {
    MasterServices services;
    services.feed = feed;
    master = spawn(stoker::master, ClusterConfig{}, std::move(services));
    show(master, users);
  }

  void show(const MasterActor& of, SparkUsers users = SparkUsers::any) {
    pages
        = spawn(cluster_pages,
                ClusterPagesConfig{feed, of, "spark://127.0.0.1:7077", users});
  }

  void register_worker(const std::string& id) {
    caf::send_as(
        caf::actor_cast<caf::actor>(worker), master,
        RegisterWorker{WorkerId{id}, EndpointId{id}, "h1", 0, 4, 4096});
    scheduler.run();
  }

  void get(const std::string& path) {
    response.reset();
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.here = {"127.0.0.1", 1};
    request.peer = {"127.0.0.1", 2};
    caf::anon_send(pages, AnswerPage{request, std::make_shared<HttpReply>(
                                                  [this](HttpResponse x) {
                                                    response = std::move(x);
                                                  })});
    scheduler.run();
  }

  boost::json::object read(const std::string& path = "/json/") {
    get(path);
    REQUIRE(response);
    REQUIRE(response->status == 200);
    return boost::json::parse(*response->body).as_object();
  }
};

} // namespace

TEST_CASE_METHOD(PagesFixture, "a page shows at once what was committed",
                 "[web]") {
  start();
  CHECK(read().at("workers").as_array().empty());
  register_worker("w1");
  auto state = read();
  CHECK(state.at("aliveworkers") == 1);
  CHECK(state.at("status") == "ALIVE");
  CHECK(response->content_type == "text/json;charset=utf-8");
  CHECK(read("/json/aliveworkers").size() == 1);
  CHECK(read("/json/cores/").at("cores") == 4);
  CHECK(read("/json/master").size() == state.size());
}

TEST_CASE_METHOD(PagesFixture, "a page is written once for all who read it",
                 "[web]") {
  start();
  read();
  auto first = response->body;
  read();
  CHECK(response->body == first);
  register_worker("w1");
  read();
  CHECK(response->body != first);
}

TEST_CASE_METHOD(PagesFixture, "the pages of a master that is gone say so",
                 "[web]") {
  start();
  kill(master);
  get("/json/");
  REQUIRE(response);
  CHECK(response->status == 503);
}

TEST_CASE_METHOD(PagesFixture, "whom the kernel does not know reads nothing",
                 "[web]") {
  start(SparkUsers::local);
  get("/json/");
  REQUIRE(response);
  CHECK(response->status == 403);
}
