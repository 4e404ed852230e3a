// What people ask: why something waits, and what would happen if.

#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

constexpr const char* until_go
    = "echo started; until [ -e go ]; do sleep 0.05; done";

/// The full worker of 2 cores and 1 GB, and two that wait for it.
struct Full : Cluster {
  Process* running = nullptr;
  Process* second = nullptr;
  Process* third = nullptr;

  /// Of the three applications.
  std::vector<std::string> ids;

  void start() {
    start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
    running = &start_script(2, until_go);
    REQUIRE(eventually([&] { return running->out() == "started\nstarted\n"; }));
    second = &start_script(1, "true");
    REQUIRE(eventually([&] { return count() == 2; }));
    third = &start_script(1, "true");
    REQUIRE(eventually([&] { return count() == 3; }));
    ids = values_of(status().at("active_apps"), "id");
  }

  void finish() {
    std::ofstream{path("go")};
    for (auto* process : {running, second, third})
      CHECK(process->result().status == 0);
  }

  std::size_t count() {
    return status().at("active_apps").as_array().size();
  }

  std::string explain(const std::string& id) {
    auto result = run({"explain", id});
    INFO(result.err);
    CHECK(result.status == 0);
    return result.out;
  }

  /// What would change if something had been done: all but heartbeats.
  std::string state() {
    auto result = status();
    for (auto& worker : result.at("workers").as_array())
      worker.as_object().erase("last_heartbeat_ms");
    return boost::json::serialize(result);
  }
};

bool contains(const std::string& text, const std::string& words) {
  INFO(text);
  CHECK(text.find(words) != std::string::npos);
  return text.find(words) != std::string::npos;
}

} // namespace

// -- why ----------------------------------------------------------------------

TEST_CASE("explain names what an application lacks, with numbers") {
  Full cluster;
  cluster.start();
  auto text = cluster.explain(cluster.ids.at(1));
  CHECK(contains(text, "WAITING, 0 executors, 0 cores, wants 1 core more"));
  CHECK(contains(text, "an executor of it needs 1 core and 512 MB; 0 of 2 "
                       "cores are free"));
  CHECK(contains(text, "Starts when one worker has"));
  CHECK(contains(text, "Estimate: "));
  auto behind = cluster.explain(cluster.ids.at(2));
  CHECK(contains(behind, "1 application that came before it"));
  CHECK(contains(behind, cluster.ids.at(1)));
  cluster.finish();
}

TEST_CASE("explain names where an application runs, and how it ended") {
  Full cluster;
  cluster.start();
  auto worker = values_of(cluster.status().at("workers"), "id").at(0);
  auto text = cluster.explain(cluster.ids.at(0));
  CHECK(contains(text, "RUNNING, 2 executors, 2 cores"));
  CHECK(contains(text, "it has 2 executors with 2 cores on " + worker));
  cluster.finish();
  CHECK(eventually([&] { return cluster.count() == 0; }));
  CHECK(
      contains(cluster.explain(cluster.ids.at(0)), "it has ended as FINISHED"));
}

TEST_CASE("explain --json has the same, for machines") {
  Full cluster;
  cluster.start();
  auto result = cluster.run({"explain", cluster.ids.at(2), "--json"});
  REQUIRE(result.status == 0);
  CHECK(lines_of(result.out).size() == 1);
  auto json = boost::json::parse(result.out);
  CHECK(json.at("found") == true);
  CHECK(text_of(json, "app_id") == cluster.ids.at(2));
  CHECK(text_of(json, "state") == "WAITING");
  CHECK(text_of(json, "blocker") == "cores");
  CHECK(json.at("position") == 2);
  CHECK(values_of(json.at("ahead"), "id")
        == std::vector<std::string>{cluster.ids.at(1)});
  CHECK(json.at("cores_wanted") == 1);
  CHECK(json.at("free").at("cores") == 0);
  CHECK(json.at("total").at("cores") == 2);
  CHECK(json.at("workers_large_enough") == 1);
  CHECK(json.at("workers_with_room") == 0);
  CHECK(json.at("reasons").as_array().size() == 2);
  cluster.finish();
}

TEST_CASE("explain guesses when an application starts from the time limit of "
          "another") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto& first = cluster.start_script(1, until_go, {"--time-limit", "2h"});
  REQUIRE(eventually([&] { return first.out() == "started\n"; }));
  auto& second = cluster.start_script(1, "true");
  auto apps = [&] { return cluster.status().at("active_apps"); };
  REQUIRE(eventually([&] { return apps().as_array().size() == 2; }));
  auto ids = values_of(apps(), "id");
  auto text = cluster.run({"explain", ids.at(1)}).out;
  CHECK(contains(text, "Estimate: in about"));
  CHECK(contains(text,
                 "when " + ids.at(0) + " ends (guessed from its time limit)"));
  std::ofstream{cluster.path("go")};
  CHECK(first.result().status == 0);
  CHECK(second.result().status == 0);
}

TEST_CASE("an application that is not known cannot be explained") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  check_refusal(cluster.run({"explain", "app-1"}), 1, "app-1 is not known");
  check_refusal(cluster.run({"explain", "app-1", "--json"}), 1,
                "app-1 is not known");
  check_refusal(cluster.run({"explain"}), 2, "ID");
}

TEST_CASE("who asks where no master is, is told so") {
  Cluster cluster;
  cluster.environment["STOKER_MASTER_TIMEOUT"] = "0s";
  auto words = GENERATE(as<std::vector<std::string>>{},
                        std::vector<std::string>{"explain", "app-1"},
                        std::vector<std::string>{"plan"},
                        std::vector<std::string>{"queues"},
                        std::vector<std::string>{"reload"});
  check_refusal(cluster.run(words), 69, "Connection refused");
}

// -- what if ------------------------------------------------------------------

TEST_CASE("plan shows what a new worker and a new application would do, and "
          "changes nothing") {
  Full cluster;
  cluster.start();
  auto before = cluster.state();
  auto result
      = cluster.run({"plan", "--add-worker", "cores=8,memory=4g", "--app",
                     "name=big,cores=4,executor-cores=2,executor-memory=1g"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  for (const auto& words :
       {cluster.ids.at(1), cluster.ids.at(2), std::string{"big"},
        std::string{"new-worker-1"},
        // 2 for those that wait, 4 for the new one.
        std::string{"Afterwards 2 of 10 cores and 1 GB of 5 GB would be free"},
        std::string{"Nothing was changed."}})
    CHECK(contains(result.out, words));
  CHECK(cluster.state() == before);
  CHECK(cluster.second->running());
  cluster.finish();
}

TEST_CASE("plan --json has the same, for machines") {
  Full cluster;
  cluster.start();
  auto before = cluster.state();
  auto result = cluster.run({"plan", "--json", "--add-worker",
                             "cores=1,memory=1g,count=2,host=new", "--app",
                             "name=late,cores=1,executor-cores=1,"
                             "executor-memory=512m"});
  REQUIRE(result.status == 0);
  CHECK(lines_of(result.out).size() == 1);
  auto json = boost::json::parse(result.out);
  CHECK(values_of(json.at("starts"), "app_id")
        == std::vector<std::string>{cluster.ids.at(1), cluster.ids.at(2)});
  CHECK(json.at("outcomes").as_array().size() == 3);
  auto late = json.at("outcomes").as_array().back();
  CHECK(text_of(late, "name") == "late");
  CHECK(late.at("executors_started") == 0);
  CHECK(late.at("cores_wanted") == 1);
  CHECK(contains(text_of(late, "reason"), "0 of 4 cores are free"));
  CHECK(json.at("free").at("cores") == 0);
  CHECK(cluster.state() == before);
  cluster.finish();
}

TEST_CASE("plan shows what the end of an application or a worker would do") {
  Full cluster;
  cluster.start();
  auto before = cluster.state();
  auto end = cluster.run({"plan", "--end-app", cluster.ids.at(0)});
  CHECK(end.status == 0);
  CHECK(contains(end.out, cluster.ids.at(1)));
  CHECK(contains(end.out, "Afterwards 0 of 2 cores"));
  auto worker = values_of(cluster.status().at("workers"), "id").at(0);
  auto leave = cluster.run({"plan", "--remove-worker", worker, "--json"});
  CHECK(leave.status == 0);
  auto json = boost::json::parse(leave.out);
  CHECK(json.at("total").at("cores") == 0);
  auto lost = json.at("outcomes").as_array().front();
  CHECK(text_of(lost, "app_id") == cluster.ids.at(0));
  CHECK(lost.at("executors_lost").as_int64() > 0);
  CHECK(text_of(lost, "reason") == "there is no worker");
  CHECK(cluster.state() == before);
  cluster.finish();
}

TEST_CASE("a plan with wrong words is told in one line") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  struct Row {
    const char* option;
    const char* value;
    const char* words;
  };
  for (const auto& [option, value, words] :
       {Row{"--add-worker", "coers=8", "there is no 'coers'"},
        Row{"--add-worker", "cores", "'cores' is not NAME=VALUE"},
        Row{"--add-worker", "=8", "'=8' is not NAME=VALUE"},
        Row{"--add-worker", "cores=0", "cores is '0'"},
        Row{"--add-worker", "cores=many", "cores is 'many'"},
        Row{"--add-worker", "memory=2x", "memory is '2x'"},
        Row{"--add-worker", "count=-1", "count is '-1'"},
        Row{"--add-worker", "cores=1,cores=1", "cores is given more than once"},
        Row{"--app", "executors=1,cores=1,executors=5",
            "executors is given more than once"},
        Row{"--app", "gpu=1,resource.gpu=2",
            "resource.gpu is given more than once"},
        Row{"--app", "executor-memory=lots", "executor-memory is 'lots'"},
        Row{"--app", "gpus=1", "there is no 'gpus'"}})
    check_refusal(cluster.run({"plan", option, value}), 2, words);
  check_refusal(cluster.run({"plan", "--remove-worker", "worker-1",
                             "--remove-worker", "worker-1"}),
                2, "worker worker-1 is to leave twice");
  check_refusal(cluster.run({"plan", "--remove-worker", "worker-1"}), 1,
                "worker worker-1 is not here");
  check_refusal(cluster.run({"plan", "--end-app", "app-1"}), 1,
                "application app-1 is not running here");
}

// -- time limits --------------------------------------------------------------

TEST_CASE("a run that takes too long is ended, and its limit is named") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto result = cluster.run(
      {"run", "--quiet", "--time-limit", "1s", "--", "sleep", "100"});
  check_refusal(result, 1, "time limit");
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0"};
  }));
  auto apps = cluster.status().at("completed_apps");
  CHECK(values_of(apps, "state") == std::vector<std::string>{"FAILED"});
  check_refusal(cluster.run({"run", "--time-limit", "soon", "--", "true"}), 2,
                "'soon'");
}
