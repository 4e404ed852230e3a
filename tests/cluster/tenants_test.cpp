// Companies and users that share a cluster: --tenants and queues.

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/cluster/shared_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

TEST_CASE("a user who is not in the file is refused, and told what to do") {
  SharedCluster cluster;
  cluster.write_unknown();
  cluster.start();
  auto result = cluster.run({"run", "--", "true"});
  check_refusal(result, 1, "user " + os_user() + ' ' + nobody_else);
  CHECK(result.err.find("[users.\"" + os_user() + "\"]") != std::string::npos);
  CHECK(result.err.find("default_company") != std::string::npos);
}

TEST_CASE("users who are not listed belong to the default company") {
  SharedCluster cluster;
  cluster.write("[policy]\ndefault_company = \"first\"\n[companies.first]\n");
  cluster.start();
  CHECK(cluster.run({"run", "--", "echo", "hello"}).out == "hello\n");
}

TEST_CASE(
    "a user's second application waits for the first, if he may have one") {
  SharedCluster cluster;
  cluster.write_known("max_applications = 1\n");
  cluster.start();
  auto& first = cluster.start_script(1, until_go);
  REQUIRE(eventually([&] { return first.out() == "started\n"; }));
  auto& second = cluster.start_script(1, "echo second");
  REQUIRE(cluster.queued(1));
  // There is room for it, but no turn.
  CHECK(values_of(cluster.status().at("workers"), "cores_used")
        == std::vector<std::string>{"1"});
  CHECK(second.out().empty());
  std::ofstream{cluster.path("go")};
  CHECK(first.result().status == 0);
  CHECK(second.result().out == "second\n");
}

TEST_CASE(
    "a limit of the file runs instances one at a time, and refuses one that "
    "exceeds it") {
  SharedCluster cluster;
  cluster.write_known("max_cores = 1\n");
  cluster.start();
  // An instance that finds the other's file would run beside it.
  auto script = "mkdir " + cluster.path("alone") + " && sleep 0.2 && rmdir "
                + cluster.path("alone");
  CHECK(cluster.run({"run", "-n", "2", "--", "sh", "-c", script}).status == 0);
  check_refusal(cluster.run({"run", "--cores", "2", "--", "true"}), 1,
                "user " + os_user() + " may have at most 1");
}

TEST_CASE("drivers under a cap leave room for what they run") {
  SharedCluster cluster;
  cluster.write_known("max_cores = 2\n");
  cluster.start();
  auto submit = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"submit"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", STOKER_PROGRAM, "run", "-n", "2", "--",
                               "echo", "hello"});
    auto result = cluster.run(words);
    REQUIRE(result.status == 0);
    return lines_of(result.out).at(0);
  };
  std::vector<std::string> ids{submit({}), submit({}),
                               submit({"--with-executors", "1"})};
  std::vector<std::string> wait{"wait", "--timeout", "60s"};
  wait.insert(wait.end(), ids.begin(), ids.end());
  CHECK(cluster.run(wait).status == 0);
  for (const auto& id : ids)
    CHECK(cluster.run({"logs", id}).out == "hello\nhello\n");
}

TEST_CASE("drivers that run nothing on the cluster fill a cap") {
  SharedCluster cluster;
  cluster.write_known("max_cores = 2\n");
  cluster.start();
  for (int i = 0; i < 2; ++i)
    REQUIRE(cluster
                .run({"submit", "--with-executors", "0", "--", "sh", "-c",
                      until_go})
                .status
            == 0);
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"2"};
  }));
  std::ofstream{cluster.path("go")};
}

TEST_CASE("a job without settings uses what its user may have when a limit of "
          "the file is below the cluster") {
  SharedCluster cluster;
  cluster.write_known("max_cores = 2\n");
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "1g",
                       "--tenants", cluster.file});
  auto file = cluster.path("job.json");
  std::ofstream{file}
      << R"({"stages": [{"name": "a", "input": {"range": 4}, "command": )"
      << R"(["sh", "-c", ": > ran-$STOKER_TASK; )"
      << R"(until [ -e go ]; do sleep 0.05; done; echo done"], )"
      << R"("working_directory": ")" << cluster.path("") << "\"}]}";
  auto& job = cluster.stoker({"job", file});
  auto started = [&] {
    auto result = 0;
    for (int i = 0; i < 4; ++i)
      result
          += std::filesystem::exists(cluster.path("ran-" + std::to_string(i)));
    return result;
  };
  REQUIRE(eventually([&] { return started() == 2 || !job.running(); }));
  auto running = [&] {
    return cluster.queues().at("tenants").at("figures").at("running").at(
        "cores");
  };
  CHECK(running() == 2);
  CHECK(started() == 2);
  std::ofstream{cluster.path("go")};
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\ndone\ndone\n");
}

TEST_CASE("the company that waits longer goes before one that came earlier") {
  if (::getuid() != 0) {
    skip("only root can be two users");
    return;
  }
  SharedCluster cluster;
  cluster.environment["STOKER_INSECURE"] = "1";
  cluster.write("[companies.first]\n[companies.second]\n"
                "[users.root]\ncompany = \"first\"\n"
                "[users.nobody]\ncompany = \"second\"\n");
  cluster.start();
  const std::vector<std::string> all_cores{"--cores", "2"};
  auto& running = cluster.start_script(1, until_go, all_cores);
  REQUIRE(eventually([&] { return running.out() == "started\n"; }));
  auto& again = cluster.start_script(1, "echo first >> order", all_cores);
  REQUIRE(cluster.queued(1));
  cluster.unprivileged = true;
  auto& other = cluster.start_script(1, "echo second >> order", all_cores);
  REQUIRE(cluster.queued(2));
  auto companies = cluster.queues().at("tenants").at("companies");
  CHECK(values_of(companies, "name")
        == std::vector<std::string>{"first", "second"});
  CHECK(values_of(companies, "place") == std::vector<std::string>{"2", "1"});
  std::ofstream{cluster.path("go")};
  CHECK(running.result().status == 0);
  CHECK(other.result().status == 0);
  CHECK(again.result().status == 0);
  CHECK(contents_of(cluster.path("order")) == "second\nfirst\n");
}

TEST_CASE("elastic runs that want three times the cluster share it as their "
          "companies purchased") {
  if (::getuid() != 0) {
    skip("only root can be two users");
    return;
  }
  constexpr double cores = 6;
  SharedCluster cluster;
  cluster.environment["STOKER_INSECURE"] = "1";
  cluster.write("[companies.first]\ncores = 4\n[companies.second]\ncores = 2\n"
                "[users.root]\ncompany = \"first\"\n"
                "[users.nobody]\ncompany = \"second\"\n");
  cluster.start_local({"--workers", "1", "--cores", "6", "--memory", "1g",
                       "--tenants", cluster.file});
  const std::vector<std::string> elastic{
      "--memory", "64m",
      "--conf",   "spark.dynamicAllocation.enabled=true",
      "--conf",   "spark.dynamicAllocation.initialExecutors=9",
      "--conf",   "spark.dynamicAllocation.maxExecutors=9"};
  // More than any machine can do while this looks.
  constexpr int instances = 100'000;
  cluster.start_script(instances, "sleep 0.2", elastic);
  cluster.unprivileged = true;
  cluster.start_script(instances, "sleep 0.2", elastic);
  auto look = [&] {
    auto companies = cluster.queues().at("tenants").at("companies");
    auto running = [&](std::size_t i) {
      const auto& x = companies.at(i).at("figures").at("running").at("cores");
      return static_cast<double>(x.as_int64());
    };
    return std::pair{running(0), running(1)};
  };
  REQUIRE(eventually([&] { return look() == std::pair{4.0, 2.0}; }));
  constexpr int looks = 40;
  double of_first = 0;
  double of_second = 0;
  for (int i = 0; i < looks; ++i) {
    auto [first, second] = look();
    of_first += first / looks;
    of_second += second / looks;
  }
  CHECK(std::abs(of_first - 4) < 0.05 * cores);
  CHECK(std::abs(of_second - 2) < 0.05 * cores);
}

TEST_CASE("queues shows companies, users and who is served") {
  SharedCluster cluster;
  cluster.write_known();
  cluster.start();
  auto& first = cluster.start_script(2, until_go, {"--name", "one"});
  REQUIRE(eventually([&] { return first.out() == "started\nstarted\n"; }));
  auto& second = cluster.start_script(1, "true", {"--name", "two"});
  REQUIRE(cluster.queued(1));
  auto queues = cluster.queues();
  auto admitted = queues.at("admitted");
  CHECK(values_of(admitted, "name") == std::vector<std::string>{"one"});
  CHECK(values_of(admitted, "user") == std::vector<std::string>{os_user()});
  CHECK(values_of(admitted, "cores") == std::vector<std::string>{"2"});
  auto company = queues.at("tenants").at("companies").at(0);
  CHECK(text_of(company, "name") == "first");
  CHECK(company.at("figures").at("running").at("cores") == 2);
  CHECK(values_of(company.at("users"), "name")
        == std::vector<std::string>{os_user()});
  auto text = cluster.run({"queues"});
  CHECK(text.status == 0);
  for (const auto& words :
       {std::string{"first"}, os_user(), std::string{"2 / 1 GB"},
        std::string{"Nothing is admitted now: what is admitted fills the "
                    "cluster: 2 cores"}})
    CHECK(text.out.find(words) != std::string::npos);
  std::ofstream{cluster.path("go")};
  CHECK(first.result().status == 0);
  CHECK(second.result().status == 0);
}

TEST_CASE("without tenants, queues shows the order in which all are served") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_script(2, until_go, {"--name", "one"});
  REQUIRE(eventually([&] { return run.out() == "started\nstarted\n"; }));
  auto text = cluster.run({"queues"});
  CHECK(text.out.starts_with("Applications that are served, in this order\n"));
  CHECK(text.out.find("one") != std::string::npos);
  auto json = boost::json::parse(cluster.run({"queues", "--json"}).out);
  CHECK(json.at("tenants").is_null());
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
}
