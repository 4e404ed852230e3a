// stoker history: what has ended stays, with what it used, whatever dies.

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;
namespace json = boost::json;

namespace {

const std::string spin
    = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; printf hello";

struct Accounting {
  Cluster cluster;

  json::object ask(std::vector<std::string> words) {
    words.insert(words.begin(), "history");
    words.emplace_back("--json");
    auto result = cluster.run(words);
    INFO(result.err);
    REQUIRE(result.status == 0);
    return json::parse(result.out).as_object();
  }

  json::array entries(const std::vector<std::string>& words = {}) {
    return ask(words).at("entries").as_array();
  }

  void kill_and_restart(Process& master,
                        const std::vector<std::string>& words = {}) {
    master.send(SIGKILL);
    master.result();
    cluster.start_master(words);
    REQUIRE(eventually(
        [&] { return text_of(cluster.status(), "status") == "ALIVE"; }));
  }
};

} // namespace

TEST_CASE("the history has what an application held and used") {
  Accounting x;
  x.cluster.start_master();
  x.cluster.start_worker();
  CHECK(x.cluster.run_script(2, spin).status == 0);
  auto apps = x.entries();
  REQUIRE(apps.size() == 1);
  auto id = text_of(apps[0], "id");
  CHECK(text_of(apps[0], "state") == "FINISHED");
  CHECK(apps[0].at("parts") == 2);
  CHECK(apps[0].at("use").at("output_bytes") == 10);
  CHECK(apps[0].at("use").at("cpu_ms").as_int64() > 40);
  CHECK(apps[0].at("core_ms").as_int64() > 0);
  auto all = x.entries({id});
  CHECK(all.size() == 3);
  auto executors
      = x.entries({"--kind", "executors", "--user", text_of(apps[0], "user")});
  REQUIRE(executors.size() == 2);
  CHECK(values_of(executors, "state")
        == std::vector<std::string>{"EXITED", "EXITED"});
  CHECK(executors[0].at("use").at("output_bytes") == 5);
  CHECK(x.entries({"--user", "nobody-at-all"}).empty());
  CHECK(x.entries({"--state", "failed"}).empty());
  CHECK(x.entries({"--since", "1h"}).size() == 1);
  CHECK(x.entries({"--until", "1h"}).empty());
  auto month = x.ask({"--monthly"}).at("months").at(0);
  CHECK(month.at("executors") == 2);
  CHECK(month.at("core_ms").as_int64() == apps[0].at("core_ms").as_int64());
}

TEST_CASE("what was killed has its use in the history, too") {
  Accounting x;
  x.cluster.start_master();
  x.cluster.start_worker();
  auto& running = x.cluster.start_script(1, "echo started; exec sleep 600");
  REQUIRE(eventually([&] { return running.out() == "started\n"; }));
  auto id = text_of(x.cluster.status().at("active_apps").at(0), "id");
  CHECK(x.cluster.run({"kill", id}).status == 0);
  CHECK(running.result().status == 1);
  REQUIRE(eventually([&] {
    auto executors = x.entries({"--kind", "executors"});
    return executors.size() == 1 && !executors[0].at("use").is_null();
  }));
  auto executor = x.entries({"--kind", "executors"})[0];
  CHECK(text_of(executor, "state") == "KILLED");
  CHECK(executor.at("use").at("output_bytes") == 8);
}

TEST_CASE("the history outlives the master, and counts each end once") {
  Accounting x;
  std::vector<std::string> words{"--conf",
                                 "spark.deploy.retainedApplications=1"};
  auto* master = &x.cluster.start_master(words);
  x.cluster.start_worker();
  for (auto i = 0; i < 3; ++i)
    CHECK(x.cluster.run_script(1, "true").status == 0);
  CHECK(x.entries().size() == 3);
  auto before = x.entries({"--kind", "all"});
  x.kill_and_restart(*master, words);
  CHECK(x.entries({"--kind", "all"}) == before);
  CHECK(x.ask({"--monthly"}).at("months").at(0).at("applications") == 3);
}

TEST_CASE("what ends while there is no master is billed until its end") {
  Accounting x;
  auto* master = &x.cluster.start_master();
  x.cluster.start_worker();
  auto go = x.cluster.path("go");
  auto waits = [&](const std::string& name) {
    return "echo $$ > " + x.cluster.path(name) + "; until [ -e " + go
           + " ]; do sleep 0.05; done";
  };
  auto& run = x.cluster.start_script(1, waits("instance"));
  REQUIRE(x.cluster.run({"submit", "--", "sh", "-c", waits("driver")}).status
          == 0);
  std::vector<pid_t> pids;
  for (const auto* name : {"instance", "driver"}) {
    auto path = x.cluster.path(name);
    REQUIRE(eventually([&] { return contents_of(path).ends_with('\n'); }));
    pids.push_back(std::stoi(contents_of(path)));
  }
  master->send(SIGKILL);
  master->result();
  auto killed_ms = now_ms();
  std::ofstream{go};
  REQUIRE(eventually(
      [&] { return std::none_of(pids.begin(), pids.end(), lives); }));
  auto ended_ms = now_ms();
  // The outage has to last for longer: that is the point.
  REQUIRE(eventually([&] { return now_ms() > ended_ms + 3'000; }));
  x.cluster.start_master();
  CHECK(run.result().status == 0);
  json::array executors;
  json::array drivers;
  REQUIRE(eventually([&] {
    executors = x.entries({"--kind", "executors"});
    drivers = x.entries({"--kind", "drivers"});
    return executors.size() == 1 && drivers.size() == 1;
  }));
  std::int64_t core_ms = 0;
  for (const auto& entry : {executors[0], drivers[0]}) {
    INFO(entry);
    auto end = entry.at("ended_ms").as_int64();
    CHECK(end >= killed_ms);
    CHECK(end <= ended_ms + 1'000);
    CHECK(entry.at("core_ms").as_int64()
          == end - entry.at("started_ms").as_int64());
    core_ms += entry.at("core_ms").as_int64();
  }
  std::int64_t in_months = 0;
  auto use = x.ask({"--monthly"});
  for (const auto& month : use.at("months").as_array())
    in_months += month.at("core_ms").as_int64();
  CHECK(in_months == core_ms);
}

TEST_CASE("a driver that is started again has the use of all its starts") {
  Accounting x;
  x.cluster.start_master();
  x.cluster.start_worker();
  auto mark = x.cluster.path("mark");
  auto submitted = x.cluster.run(
      {"submit", "--supervise", "--", "sh", "-c",
       "printf 123; [ -e " + mark + " ] || { touch " + mark + "; exit 1; }"});
  REQUIRE(submitted.status == 0);
  REQUIRE(eventually([&] { return x.entries().size() == 1; }));
  auto driver = x.entries()[0];
  CHECK(text_of(driver, "state") == "FINISHED");
  CHECK(driver.at("parts") == 2);
  CHECK(driver.at("use").at("output_bytes") == 6);
}

TEST_CASE("the history has the stages of a job, and what their tasks used") {
  Accounting x;
  x.cluster.start_master();
  x.cluster.start_worker();
  auto job = x.cluster.path("job.json");
  std::ofstream{job} << R"({"stages": [
      {"name": "count", "input": {"range": 3},
       "command": ["sh", "-c",
         "dd if=/dev/zero of=/dev/null bs=64M count=4 status=none; echo"]}]})";
  CHECK(x.cluster.run({"job", job}).status == 0);
  auto stages = x.entries({"--kind", "stages"});
  REQUIRE(stages.size() == 1);
  CHECK(text_of(stages[0], "name") == "count");
  CHECK(text_of(stages[0], "state") == "COMPLETE");
  CHECK(stages[0].at("parts") == 3);
  CHECK(stages[0].at("core_ms").as_int64() > 0);
  const auto& use = stages[0].at("use");
  CHECK(use.at("cpu_ms").as_int64() > 0);
  CHECK(use.at("peak_memory_mb").as_int64() > 60);
  CHECK(use.at("output_bytes") == 3);
}

TEST_CASE("a history is a table, a line of JSON, or comma-separated values") {
  Accounting x;
  x.cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "512m"});
  CHECK(x.cluster.run_script(1, "printf hello").status == 0);
  auto table = x.cluster.run({"history"});
  CHECK(table.status == 0);
  CHECK(table.out.find("PEAK MEMORY") != std::string::npos);
  CHECK(table.out.find("5 B") != std::string::npos);
  auto csv = x.cluster.run({"history", "--csv", "--kind", "executors"});
  CHECK(csv.out.starts_with("kind,id,app_id,"));
  CHECK(csv.out.find("\r\nexecutor,app-") != std::string::npos);
  auto monthly = x.cluster.run({"history", "--monthly"});
  CHECK(monthly.out.find("CORE HOURS") != std::string::npos);
  auto use = x.cluster.run({"history", "--monthly", "--csv"});
  CHECK(use.out.starts_with("month,company,user,core_ms"));
  // The rows of JSON: each has its user.
  auto months = x.ask({"--monthly"}).at("months").as_array();
  REQUIRE(months.size() == 1);
  CHECK(use.out.find("\r\n" + text_of(months[0], "month") + ",,"
                     + text_of(months[0], "user") + ',')
        != std::string::npos);
}

TEST_CASE("a history that cannot be written costs nothing else") {
  Accounting x;
  std::filesystem::create_directories(x.cluster.path("data"));
  auto path = x.cluster.path("data/history.db");
  std::ofstream{path} << "somebody's notes";
  auto& master = x.cluster.start_master();
  x.cluster.start_worker();
  CHECK(x.cluster.run_script(1, "true").status == 0);
  await(master, "history-not-written");
  check_refusal(x.cluster.run({"history"}), 1, path);
  CHECK(std::filesystem::file_size(path) == 16);
  // It is mended.
  std::filesystem::rename(path, path + ".old");
  await(master, "history-written");
  CHECK(x.entries().size() == 1);
}

TEST_CASE("wrong questions to the history get one line") {
  Accounting x;
  x.cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "512m",
                         "--conf", "stoker.history.enabled=false"});
  check_refusal(x.cluster.run({"history"}), 1, "keeps no history");
  check_refusal(x.cluster.run({"history", "--since", "soon"}), 2, "is no time");
}
