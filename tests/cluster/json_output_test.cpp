// What commands print with --json is what docs/schemas says, no more and no
// less. tests/docs/schemas_test.cpp looks at more values of the same types.

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/cluster/shared_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"

using namespace stoker::test;

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

const fs::path schemas = STOKER_ROOT "/docs/schemas";

/// The commands that `--help` names at this place: "status", "data show".
Texts commands_below(Sandbox& sandbox, const std::string& command) {
  Texts words{"--help"};
  std::istringstream in{command};
  for (std::string word; in >> word;)
    words.insert(words.end() - 1, word);
  auto help = sandbox.run(words).out;
  Texts result;
  bool inside = false;
  for (const auto& line : lines_of(help)) {
    if (line.starts_with("Subcommands:"))
      inside = true;
    else if (line.empty())
      inside = false;
    else if (inside && line.starts_with("  ") && line[2] != ' ')
      result.push_back((command.empty() ? "" : command + ' ')
                       + line.substr(2, line.find(' ', 2) - 2));
  }
  if (result.empty() && help.find("--json") != std::string::npos)
    return {command};
  Texts with_json;
  for (const auto& x : result)
    for (auto& found : commands_below(sandbox, x))
      with_json.push_back(std::move(found));
  return with_json;
}

/// A cluster whose commands are asked for JSON, and what was asked.
struct Asked : SharedCluster {
  std::set<std::string> commands;
  std::set<std::string> used_schemas;

  /// Runs a command with --json, and compares each line with a schema.
  std::vector<json::value> ask(const std::string& command,
                               const std::string& schema,
                               const Texts& words = {}) {
    Texts all;
    std::istringstream in{command};
    for (std::string word; in >> word;)
      all.push_back(word);
    all.push_back("--json");
    all.insert(all.end(), words.begin(), words.end());
    auto result = run(all);
    INFO(command << ": " << result.err);
    CHECK(result.status == 0);
    return take(command, schema, result.out);
  }

  /// What a command has said, wherever it ran.
  std::vector<json::value> take(const std::string& command,
                                const std::string& schema,
                                const std::string& out) {
    INFO(command);
    commands.insert(command);
    used_schemas.insert(schema);
    auto expected = JsonSchema::read(schemas / (schema + ".json"));
    std::vector<json::value> values;
    for (const auto& line : lines_of(out)) {
      INFO(line);
      values.push_back(json::parse(line));
      CHECK(schema_gaps(expected, values.back()) == Texts{});
    }
    CHECK_FALSE(values.empty());
    return values;
  }

  std::size_t apps() {
    return status().at("active_apps").as_array().size();
  }
};

std::set<std::string> names_of_schemas() {
  std::set<std::string> result;
  for (const auto& entry : fs::directory_iterator{schemas})
    result.insert(entry.path().stem());
  return result;
}

} // namespace

TEST_CASE("what commands print with --json is what the schemas say") {
  Asked cluster;
  cluster.write_known();
  auto log = cluster.path("master.log");
  cluster.start_master({"--tenants", cluster.file, "--log", log});
  auto worker = cluster.start_worker({"--resource", "gpu=0,1"});

  // One that has ended, one that fills the cluster, one that waits.
  auto events = cluster.ask("run", "run",
                            {"-n", "2", "--resource", "gpu=1", "--", "sh", "-c",
                             "echo one; echo two >&2"});
  std::set<std::string> kinds;
  for (const auto& x : events)
    kinds.insert(text_of(x, "event"));
  CHECK(kinds
        == std::set<std::string>{"registered", "executor_added",
                                 "executor_updated", "output", "ended"});
  auto ended = text_of(events.front(), "app_id");
  kinds.clear();
  for (const auto& x :
       cluster.ask("run", "run",
                   {"-n", "2", "--barrier", "--retries", "1", "--", "sh", "-c",
                    "echo one; [ $STOKER_ATTEMPT$RANK != 01 ]"}))
    kinds.insert(text_of(x, "event"));
  CHECK(kinds
        == std::set<std::string>{"registered", "executor_added",
                                 "executor_updated", "attempt_begun",
                                 "attempt_failed", "output", "ended"});
  cluster.ask("logs", "logs", {ended + "/0"});
  auto job = cluster.path("job.json");
  // One attempt fails; one result is no UTF-8.
  std::ofstream{job} << R"x({"stages": [
      {"name": "a", "input": {"range": 2}, "shuffle": {"partitions": 2},
       "command": ["sh", "-c", "cat; [ $STOKER_TASK$STOKER_ATTEMPT != 10 ]"]},
      {"name": "b", "from": ["a"], "command": ["printf", "\\303x"]}]})x";
  kinds.clear();
  auto job_log = cluster.path("job.log");
  for (const auto& x : cluster.ask("job", "job", {job, "--log", job_log}))
    kinds.insert(text_of(x, "event"));
  CHECK(kinds
        == std::set<std::string>{"registered", "stage_started",
                                 "stage_completed", "attempt_failed", "result",
                                 "job_ended"});
  std::ofstream{job} << R"x({"stages": [
      {"name": "a", "input": {"range": 1}, "barrier": true,
       "env": {"STOKER": ")x" STOKER_PROGRAM R"x("},
       "command": ["sh", "-c", "$STOKER barrier --json; $STOKER barrier --tasks --json"]}]})x";
  cluster.take("barrier", "barrier", cluster.run({"job", job}).out);
  kinds.clear();
  for (const auto& x : cluster.ask("job", "job", {job}))
    kinds.insert(text_of(x, "event"));
  CHECK(kinds.contains("attempt_begun"));
  auto& running = cluster.start_script(2, until_go, {"--env", "TOKEN=1"});
  REQUIRE(eventually([&] { return running.out() == "started\nstarted\n"; }));
  auto& waiting = cluster.start_script(1, "true");
  REQUIRE(eventually([&] { return cluster.apps() == 2; }));
  auto ids = values_of(cluster.status().at("active_apps"), "id");
  auto driver = text_of(
      cluster.ask("submit", "submit",
                  {"--with-executors", "1", "--", "sh", "-c", until_go})[0],
      "driver_id");

  for (const auto* part : {"workers", "apps", "executors", "drivers"})
    cluster.ask("status", "status", {part});
  for (const auto* part : {"jobs", "stages"})
    cluster.ask("status", "status-jobs", {part});
  auto jobs = cluster.ask("status", "status-jobs", {"jobs"}).front();
  CHECK(values_of(jobs.at("applications").at(0).at("jobs"), "status")
        == Texts{"SUCCEEDED"});
  cluster.ask("queues", "queues");
  cluster.ask("history", "history", {"--kind", "all"});
  cluster.ask("history", "use", {"--monthly"});
  cluster.ask("explain", "explain", {ids.at(0)});
  cluster.ask("explain", "explain", {ids.at(1)});
  cluster.ask(
      "plan", "plan",
      {"--add-worker", "cores=8,memory=8g", "--app", "name=more,cores=100"});
  for (const auto* table :
       {"workers", "applications", "executors", "drivers", "tenants"})
    cluster.ask("data show", "data", {cluster.path("data"), "--table", table});
  auto stored
      = cluster.ask("data show", "data", {cluster.path("data")}).front();
  CHECK(stored.at("config").is_object());
  CHECK(stored.at("applications").as_array().size() == 7);

  cluster.ask("kill", "kill", {driver});
  cluster.take("wait", "wait",
               cluster.run({"wait", "--json", driver, ended}).out);
  cluster.ask("kill", "kill", {ids.at(1)});
  CHECK(waiting.result().status == 1);
  std::ofstream{cluster.path("go")};
  CHECK(running.result().status == 0);
  cluster.ask("decommission", "decommission", {worker.id});

  auto steps = cluster.ask("log show", "log-show", {log});
  CHECK(steps.front().at("event").as_object().contains("ElectedLeader"));
  cluster.ask("replay", "status", {log, "--status"});
  cluster.ask("replay", "queues", {log, "--queues"});
  cluster.ask("replay", "explain", {log, "--explain", ids.at(0)});
  cluster.ask("log show", "log-show-job", {job_log});
  auto then = cluster.ask("replay", "replay-job", {job_log, "--until", "3"});
  CHECK(then.front().at("stages").as_array().size() == 2);
  cluster.ask("certs", "certs", {cluster.path("certs"), "--host", "node1"});

  auto commands = commands_below(cluster, "");
  CHECK(cluster.commands
        == std::set<std::string>{commands.begin(), commands.end()});
  CHECK(cluster.used_schemas == names_of_schemas());
}
