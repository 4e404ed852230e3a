// Which variables of the caller's environment programs get, and who sees them.

#include <set>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

std::set<std::string> variables_in(const std::string& text) {
  std::set<std::string> result;
  for (const auto& line : lines_of(text))
    result.insert(line);
  return result;
}

} // namespace

TEST_CASE("a program finds a variable of its worker when --pass-env names it") {
  Cluster cluster;
  cluster.environment["COLOUR"] = "green";
  cluster.environment["TASTE"] = "sweet";
  cluster.environment["LC_TIME"] = "C";
  cluster.start_local(
      {"--cores", "1", "--memory", "1g", "--pass-env", "COLOUR"});
  auto found = variables_in(cluster.run({"run", "--", "env"}).out);
  CHECK(found.contains("COLOUR=green"));
  CHECK(found.contains("LC_TIME=C"));
  CHECK_FALSE(found.contains("TASTE=sweet"));
  auto refused = cluster.run({"local", "--pass-env", "A=secret"});
  CHECK(refused.status == 2);
  CHECK(lines_of(refused.err).size() == 1);
  CHECK(refused.err.find("secret") == std::string::npos);
}

TEST_CASE("a program gets the variables that --export names, and --env "
          "changes them") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  cluster.environment["COLOUR"] = "green";
  cluster.environment["TASTE"] = "sweet";
  auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--", "env"});
    auto result = cluster.run(words);
    CHECK(result.status == 0);
    return variables_in(result.out);
  };
  CHECK_FALSE(run({}).contains("COLOUR=green"));
  CHECK(run({"--export", "COLOUR"}).contains("COLOUR=green"));
  CHECK_FALSE(run({"--export", "COLOUR"}).contains("TASTE=sweet"));
  auto all = run({"--export", "ALL", "--env", "TASTE=sour"});
  CHECK(all.contains("COLOUR=green"));
  CHECK(all.contains("TASTE=sour"));
  CHECK(run({"--export", "SIZE=1=2"}).contains("SIZE=1=2"));
  CHECK_FALSE(
      run({"--export", "ALL", "--export", "NONE"}).contains("COLOUR=green"));
  check_refusal(cluster.run({"run", "--export", "NO_SUCH", "true"}), 2,
                "--export: 'NO_SUCH' is neither ALL, NONE");
}

TEST_CASE("what is exported is in no answer and no log") {
  Cluster cluster;
  auto log = cluster.path("master.log");
  cluster.start_local({"--cores", "2", "--memory", "1g", "--log", log});
  cluster.environment["TOKEN"] = "hunter2hunter2";
  auto submitted = cluster.run(
      {"submit", "--export", "ALL", "--", "sh", "-c", "test ${#TOKEN} = 14"});
  REQUIRE(submitted.status == 0);
  auto id = lines_of(submitted.out).front();
  CHECK(cluster.run({"wait", id}).status == 0);
  CHECK(cluster.run({"run", "--export", "TOKEN", "true"}).status == 0);
  for (const auto& text :
       {cluster.run({"status", "--all", "--json"}).out,
        cluster.run({"log", "show", log, "--json"}).out, contents_of(log)}) {
    CHECK_FALSE(text.empty());
    CHECK(text.find("hunter2hunter2") == std::string::npos);
  }
}
