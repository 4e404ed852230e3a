// A tenants file that has changed, or has mistakes.

#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "tests/cluster/shared_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

TEST_CASE("reload has a master take the file as it is now") {
  SharedCluster cluster;
  cluster.write_unknown();
  cluster.start(GENERATE("local", "master"));
  REQUIRE(cluster.refuses());
  cluster.write_known();
  // Nobody looks at the file before being asked to.
  CHECK(cluster.refuses());
  auto result = cluster.run({"reload"});
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("reloaded: user "));
  CHECK(result.out.find(": new") != std::string::npos);
  CHECK(cluster.run({"reload"}).out == "reloaded: nothing has changed\n");
  CHECK_FALSE(cluster.refuses());
}

TEST_CASE("SIGHUP has a master take the file as it is now") {
  SharedCluster cluster;
  cluster.write_unknown();
  auto& process = cluster.start(GENERATE("local", "master"));
  REQUIRE(cluster.refuses());
  cluster.write_known();
  process.send(SIGHUP);
  CHECK(eventually([&] { return !cluster.refuses(); }));
  CHECK(process.running());
}

TEST_CASE("a queue outlives a changed file, and new limits hold for it") {
  SharedCluster cluster;
  cluster.write_known("max_applications = 1\n");
  cluster.start();
  auto& first = cluster.start_script(1, until_go);
  REQUIRE(eventually([&] { return first.out() == "started\n"; }));
  auto& second = cluster.start_script(1, "echo second");
  REQUIRE(cluster.queued(1));
  cluster.write_known("max_applications = 2\n");
  REQUIRE(cluster.run({"reload"}).status == 0);
  CHECK(second.result().out == "second\n");
  CHECK(first.running());
  std::ofstream{cluster.path("go")};
  CHECK(first.result().status == 0);
}

TEST_CASE("a file with a mistake is told by its line, and changes nothing") {
  SharedCluster cluster;
  cluster.write_unknown();
  auto& process = cluster.start(GENERATE("local", "master"));
  cluster.write_bad();
  const auto mistake
      = cluster.file + ":3: unknown key coers in companies.first";
  SECTION("after reload") {
    check_refusal(cluster.run({"reload"}), 1, "stoker: " + mistake);
  }
  SECTION("after SIGHUP") {
    process.send(SIGHUP);
    CHECK(eventually([&] {
      return process.err().find("the tenants stay as they are: " + mistake)
             != std::string::npos;
    }));
  }
  CHECK(cluster.refuses());
  cluster.write_known();
  CHECK(cluster.run({"reload"}).status == 0);
  CHECK_FALSE(cluster.refuses());
}

TEST_CASE("a file that is gone changes nothing") {
  SharedCluster cluster;
  cluster.write_unknown();
  cluster.start();
  REQUIRE(::unlink(cluster.file.c_str()) == 0);
  check_refusal(cluster.run({"reload"}), 1, cluster.file);
  CHECK(cluster.refuses());
}

TEST_CASE("a master without tenants has nothing to read again") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  check_refusal(cluster.run({"reload"}), 1, "started without a tenants file");
  CHECK(cluster.run({"run", "--", "true"}).status == 0);
}

TEST_CASE("a master does not start with a file that is missing or wrong") {
  SharedCluster cluster;
  const std::string command = GENERATE("local", "master");
  const std::vector<std::string> words{command,
                                       "--port",
                                       std::to_string(cluster.port()),
                                       "--data",
                                       cluster.path("data"),
                                       "--tenants",
                                       cluster.file};
  SECTION("missing") {
    check_refusal(cluster.run(words), 1, cluster.file);
  }
  SECTION("wrong") {
    cluster.write_bad();
    check_refusal(cluster.run(words), 2, "stoker: " + cluster.file + ":3: ");
  }
  SECTION("without a company") {
    cluster.write("[policy]\npriorities = true\n");
    check_refusal(cluster.run(words), 2, "stoker: " + cluster.file + ':');
  }
}
