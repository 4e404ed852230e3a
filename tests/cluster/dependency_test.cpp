// One after the other, and what follows an end.

#include <signal.h>

#include <fstream>
#include <mutex>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "web/http_server.hpp"

using namespace stoker::test;

namespace {

std::string submit(Cluster& cluster, const std::string& script,
                   std::vector<std::string> options = {}) {
  std::vector<std::string> words{"submit"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "sh", "-c", script});
  auto result = cluster.run(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return lines_of(result.out).front();
}

/// Waits for a file of the cluster's folder.
std::string until_there_is(const std::string& file) {
  return "until [ -e " + file + " ]; do sleep 0.05; done; ";
}

/// Its fields; empty: nobody knows it.
boost::json::object driver_of(Cluster& cluster, const std::string& id) {
  auto state = cluster.status();
  for (const auto* list : {"active_drivers", "completed_drivers"})
    for (const auto& x : state.at(list).as_array())
      if (text_of(x, "id") == id)
        return x.as_object();
  return {};
}

std::string state_of(Cluster& cluster, const std::string& id) {
  auto driver = driver_of(cluster, id);
  return driver.empty() ? "" : text_of(driver, "state");
}

/// Takes what is posted, and answers first with an error.
class Listener {
public:
  Listener() {
    auto opened = server_.listen(
        "127.0.0.1", 0, 10'000,
        [this](const stoker::HttpRequest& x,
               const stoker::HttpReplyPtr& reply) {
          std::lock_guard lock{mutex_};
          bodies_.push_back(x.method + ' ' + x.path + ' ' + x.body);
          auto answer = stoker::http_json("{}");
          answer.status = bodies_.size() == 1 ? 503 : 200;
          reply->answer(std::move(answer));
        });
    REQUIRE(opened);
    url_ = "http://127.0.0.1:" + std::to_string(*opened) + "/hooks/secret";
  }

  [[nodiscard]] const std::string& url() const noexcept {
    return url_;
  }

  std::vector<std::string> bodies() {
    std::lock_guard lock{mutex_};
    return bodies_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::string url_;
  stoker::HttpServer server_;
};

} // namespace

TEST_CASE("what waits for others starts when they have ended, and says for "
          "whom it waits") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "2g"});
  auto first = submit(cluster, until_there_is("go") + "echo first >> order");
  auto second = submit(cluster, "echo second >> order", {"--after-ok", first});
  auto& third = cluster.stoker({"run", "--after", second, "--after", first,
                                "--", "sh", "-c", "echo third >> order"});
  REQUIRE(eventually([&] {
    return cluster.status().at("active_apps").as_array().size() == 1;
  }));
  auto app = cluster.status().at("active_apps").at(0);
  CHECK(app.at("waits_for") == boost::json::array{second, first});
  CHECK(state_of(cluster, second) == "SUBMITTED");
  auto listed = cluster.run({"status"}).out;
  CHECK(listed.find("waits for " + first) != std::string::npos);
  auto why = cluster.run({"explain", second}).out;
  CHECK(why.find("waits for the success of " + first) != std::string::npos);
  std::ofstream{cluster.path("go")};
  CHECK(third.result().status == 0);
  CHECK(contents_of(cluster.path("order")) == "first\nsecond\nthird\n");
}

TEST_CASE("what follows an application that is killed finds what its instances "
          "still leave") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "2g"});
  auto& run = cluster.start_script(
      2, "trap '" + until_there_is("go")
             + "echo left >> left; exit 0' TERM; touch began$STOKER_INDEX; "
               "while :; do sleep 0.05; done");
  REQUIRE(eventually([&] {
    return std::ifstream{cluster.path("began0")}
           && std::ifstream{cluster.path("began1")};
  }));
  auto id = text_of(cluster.status().at("active_apps").at(0), "id");
  auto next = submit(cluster, "cat left > found", {"--after", id});
  auto& wait = cluster.stoker({"wait", id});
  CHECK(cluster.run({"kill", id}).status == 0);
  // It was told, and its instances are at work yet.
  CHECK(run.result().status != 0);
  CHECK(state_of(cluster, next) == "SUBMITTED");
  CHECK(wait.running());
  std::ofstream{cluster.path("go")};
  CHECK(wait.result().out == id + " KILLED: killed on request\n");
  CHECK(cluster.run({"wait", next}).status == 0);
  CHECK(contents_of(cluster.path("found")) == "left\nleft\n");
}

TEST_CASE("who needs a success that does not come fails, and what just waits "
          "for the end goes on") {
  Cluster cluster;
  cluster.start_local({"--cores", "4", "--memory", "2g"});
  auto bad = submit(cluster, until_there_is("go") + "exit 3");
  auto needs = submit(cluster, "touch wrong", {"--after-ok", bad});
  auto needs_that = submit(cluster, "touch wrong", {"--after-ok", needs});
  auto any = submit(cluster, "touch right", {"--after", needs_that});
  std::ofstream{cluster.path("go")};
  CHECK(cluster.run({"wait", any}).status == 0);
  CHECK(state_of(cluster, needs) == "FAILED");
  CHECK(state_of(cluster, needs_that) == "FAILED");
  CHECK(!std::ifstream{cluster.path("wrong")});
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"logs", needs}, {"logs", "--follow", needs}})
    check_refusal(cluster.run(words), 1,
                  needs
                      + " has ended as FAILED before it was given to a worker: "
                        "it was to start after the success of "
                      + bad);
  auto message = text_of(driver_of(cluster, needs), "message");
  CHECK(message.find(bad + ", which has ended as FAILED") != std::string::npos);
  check_refusal(cluster.run({"submit", "--after-ok", bad, "--", "true"}), 1,
                bad + " has ended as FAILED");
  check_refusal(cluster.run({"run", "--after-ok", bad, "--", "true"}), 1,
                bad + " has ended as FAILED");
}

TEST_CASE("waiting for what there is not is refused") {
  Cluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  check_refusal(cluster.run({"submit", "--after", "driver-1", "--", "true"}), 1,
                "driver-1 is not known here (any more)");
  check_refusal(cluster.run({"run", "--after", "app-1", "--", "true"}), 1,
                "app-1 is not known here (any more)");
  check_refusal(cluster.run({"submit", "--after", "app-1/0", "--", "true"}), 2,
                "is the id of no application or driver");
  check_refusal(cluster.run({"submit", "--on-end", "x", "--on-end-url",
                             "http://x", "--", "true"}),
                2, "exclude each other");
  check_refusal(cluster.run({"submit", "--on-end-url", "x", "--", "true"}), 2,
                "is posted to http://HOST");
  check_refusal(cluster.run({"submit", "--on-end-retries", "1", "--", "true"}),
                2, "needs --on-end");
  check_refusal(cluster.run({"submit", "--max-restarts", "-1", "--", "true"}),
                2, "must not be negative");
  check_refusal(cluster.run({"notify", "http://127.0.0.1:1/"}), 2,
                "nothing has ended");
  CHECK(cluster.status().at("active_drivers").as_array().empty());
}

TEST_CASE("a master that was killed knows who waits for whom") {
  Cluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto first = submit(cluster, until_there_is("go"));
  auto second = submit(cluster, "echo $STOKER_DRIVER_ID > ran",
                       {"--after-ok", first, "--on-end", "touch followed"});
  REQUIRE(eventually([&] { return state_of(cluster, first) == "RUNNING"; }));
  master.send(SIGKILL);
  master.result();
  cluster.start_master();
  CHECK(driver_of(cluster, second).at("waits_for")
        == boost::json::array{first});
  std::ofstream{cluster.path("go")};
  CHECK(cluster.run({"wait", second}).status == 0);
  CHECK(contents_of(cluster.path("ran")) == second + "\n");
  CHECK(eventually(
      [&] { return std::ifstream{cluster.path("followed")}.good(); }));
}

TEST_CASE("a driver that fails too often is not started again") {
  Cluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto id = submit(cluster, "echo start >> starts; exit 5",
                   {"--max-restarts", "1"});
  CHECK(cluster.run({"wait", id}).status == 5);
  CHECK(contents_of(cluster.path("starts")) == "start\nstart\n");
  auto driver = driver_of(cluster, id);
  CHECK(text_of(driver, "state") == "FAILED");
  CHECK(driver.at("max_restarts") == 1);
  CHECK(text_of(driver, "message").find("it may not be started again any more")
        != std::string::npos);
}

TEST_CASE("a command follows an end, and finds how it was") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto tell = std::string{
      "echo \"$STOKER_ENDED_NAME $STOKER_ENDED_STATE $STOKER_ENDED_EXIT_STATUS "
      "$OWN\" >> told"};
  auto told = [&] { return lines_of(contents_of(cluster.path("told"))); };
  submit(cluster, "exit 3",
         {"--name", "job", "--env", "OWN=mine", "--on-end", tell});
  REQUIRE(eventually([&] { return told().size() == 1; }));
  CHECK(told()[0] == "job FAILED 3 mine");
  auto run
      = cluster.run({"run", "--name", "good", "--on-end", tell, "--", "true"});
  CHECK(run.status == 0);
  REQUIRE(eventually([&] { return told().size() == 2; }));
  CHECK(told()[1] == "good FINISHED  ");
  auto killed
      = submit(cluster, "sleep 1000", {"--name", "k", "--on-end", tell});
  REQUIRE(eventually([&] { return state_of(cluster, killed) == "RUNNING"; }));
  CHECK(cluster.run({"kill", killed}).status == 0);
  REQUIRE(eventually([&] { return told().size() == 3; }));
  CHECK(told()[2].starts_with("k KILLED"));
}

TEST_CASE("an end is posted, again where nobody takes it, and the address is "
          "shown to nobody") {
  Listener listener;
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto id = submit(cluster, "exit 7",
                   {"--name", "nightly", "--on-end-url", listener.url()});
  REQUIRE(eventually([&] { return listener.bodies().size() == 2; }));
  auto body = listener.bodies()[1];
  REQUIRE(body.starts_with("POST /hooks/secret {"));
  auto told = boost::json::parse(body.substr(body.find('{')));
  CHECK(text_of(told, "id") == id);
  CHECK(text_of(told, "state") == "FAILED");
  CHECK(told.at("exit_status") == 7);
  REQUIRE(eventually([&] {
    return cluster.run({"status", "--all"}).out.find("after nightly")
           != std::string::npos;
  }));
  CHECK(cluster.run({"status", "--all", "--json"}).out.find("secret")
        == std::string::npos);
}
