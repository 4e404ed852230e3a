// submit, status, logs and kill: programs whose user does not stay.

#include <signal.h>

#include <fstream>

#include "process/process_tree.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

const std::vector<std::string> two_workers{"--workers", "2",        "--cores",
                                           "2",         "--memory", "1g"};

/// Submits commands of a shell and returns the driver's id.
std::string submit(Cluster& cluster, const std::string& script,
                   const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"submit"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "sh", "-c", script});
  auto result = cluster.run(words);
  REQUIRE(result.status == 0);
  REQUIRE(result.out.starts_with("driver-"));
  REQUIRE(lines_of(result.out).size() == 1);
  return lines_of(result.out).front();
}

/// Nothing: no driver has this id.
std::optional<boost::json::value> driver(Cluster& cluster,
                                         const std::string& id) {
  auto status = cluster.status();
  for (const auto* part : {"active_drivers", "completed_drivers"})
    for (const auto& x : status.at(part).as_array())
      if (text_of(x, "id") == id)
        return x;
  return std::nullopt;
}

bool reaches(Cluster& cluster, const std::string& id, const char* state) {
  auto reached = eventually([&] {
    auto found = driver(cluster, id);
    return found && text_of(*found, "state") == state;
  });
  if (auto found = driver(cluster, id))
    UNSCOPED_INFO(boost::json::serialize(*found));
  return reached;
}

std::string logs(Cluster& cluster, std::vector<std::string> words) {
  words.insert(words.begin(), "logs");
  auto result = cluster.run(words);
  INFO(result.err);
  CHECK(result.status == 0);
  return result.out;
}

} // namespace

TEST_CASE("a driver runs on after its submission, and its output is kept") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id
      = submit(cluster, "echo out; echo err >&2; env | grep ^STOKER_DRIVER_ID");
  CHECK(reaches(cluster, id, "FINISHED"));
  CHECK(logs(cluster, {id}) == "out\nSTOKER_DRIVER_ID=" + id + '\n');
  CHECK(logs(cluster, {id, "--stderr"}) == "err\n");
  auto text = cluster.run({"status", "drivers"});
  CHECK(text.out.find(id) != std::string::npos);
  CHECK(text.out.find("FINISHED") != std::string::npos);
}

TEST_CASE("a driver that fails is shown with its exit code") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id = submit(cluster, "exit 4");
  REQUIRE(reaches(cluster, id, "FAILED"));
  CHECK(text_of(driver(cluster, id).value(), "exit_status") == "4");
  auto absent = cluster.run({"submit", "--", "no-such-command"});
  REQUIRE(absent.status == 0);
  auto absent_id = lines_of(absent.out).front();
  REQUIRE(reaches(cluster, absent_id, "ERROR"));
  CHECK(text_of(driver(cluster, absent_id).value(), "message")
        == "cannot start 'no-such-command': No such file or directory");
}

TEST_CASE("a driver runs work on the cluster that it finds itself on") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id = submit(cluster, "'" STOKER_PROGRAM "' run -n 3 -- echo hello");
  CHECK(reaches(cluster, id, "FINISHED"));
  CHECK(logs(cluster, {id}) == "hello\nhello\nhello\n");
}

TEST_CASE("logs --follow shows what comes, until the driver ends") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id = submit(cluster, "for i in 1 2 3; do echo $i; "
                            "until [ -e go-$i ]; do sleep 0.05; done; done");
  auto& follow = cluster.stoker({"logs", id, "--follow"});
  CHECK(eventually([&] { return follow.out() == "1\n"; }));
  std::ofstream{cluster.path("go-1")};
  CHECK(eventually([&] { return follow.out() == "1\n2\n"; }));
  std::ofstream{cluster.path("go-2")};
  std::ofstream{cluster.path("go-3")};
  auto result = follow.result();
  CHECK(result.status == 0);
  CHECK(result.out == "1\n2\n3\n");
}

TEST_CASE("logs --follow shows an executor's output, too") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = cluster.start_script(
      1, "echo one; until [ -e go ]; do sleep 0.05; done; echo two");
  REQUIRE(eventually([&] { return run.out() == "one\n"; }));
  auto apps = cluster.status().at("active_apps");
  auto id = values_of(apps, "id").at(0) + "/0";
  CHECK(logs(cluster, {id}) == "one\n");
  auto& follow = cluster.stoker({"logs", id, "--follow"});
  REQUIRE(eventually([&] { return follow.out() == "one\n"; }));
  std::ofstream{cluster.path("go")};
  auto result = follow.result();
  CHECK(result.status == 0);
  CHECK(result.out == "one\ntwo\n");
  CHECK(run.result().status == 0);
}

TEST_CASE("Ctrl-C ends logs --follow and nothing else") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id = submit(cluster, "echo started; sleep 1000");
  auto& follow = cluster.stoker({"logs", id, "--follow"});
  REQUIRE(eventually([&] { return follow.out() == "started\n"; }));
  follow.send_to_group(SIGINT);
  // It has nothing to tidy up, so it leaves the signal to the system, and who
  // started it sees that.
  CHECK(follow.result().status == -SIGINT);
  CHECK(text_of(driver(cluster, id).value(), "state") == "RUNNING");
}

TEST_CASE("kill ends a driver, an executor or an application") {
  Cluster cluster;
  cluster.start_local(two_workers);
  SECTION("a driver, with all that it started") {
    auto id = submit(cluster, "sleep 1000 & setsid sleep 1000 & sleep 1000",
                     {"--supervise"});
    REQUIRE(reaches(cluster, id, "RUNNING"));
    auto result = cluster.run({"kill", id});
    CHECK(result.status == 0);
    CHECK(result.out == "killed " + id + '\n');
    CHECK(reaches(cluster, id, "KILLED"));
    for (const auto& [pid, description] : cluster.processes())
      CHECK(description != "sleep 1000");
    auto again = cluster.run({"kill", id});
    CHECK(again.status == 1);
    CHECK(again.err.find("has ended as KILLED") != std::string::npos);
  }
  SECTION("an executor, which is replaced") {
    auto& run = cluster.start_script(
        1, "echo x; if [ -e was ]; then exit 0; fi; touch was; sleep 1000");
    REQUIRE(eventually([&] { return run.out() == "x\n"; }));
    auto app = values_of(cluster.status().at("active_apps"), "id").at(0);
    CHECK(cluster.run({"kill", app + "/0"}).status == 0);
    auto result = run.result();
    CHECK(result.status == 0);
    CHECK(result.out == "x\nx\n");
  }
  SECTION("an application") {
    auto& run = cluster.start_script(2, "echo x; sleep 1000");
    REQUIRE(eventually([&] { return run.out() == "x\nx\n"; }));
    auto app = values_of(cluster.status().at("active_apps"), "id").at(0);
    CHECK(cluster.run({"kill", app}).status == 0);
    auto result = run.result();
    CHECK(result.status == 1);
    CHECK(result.err.find("killed on request") != std::string::npos);
  }
}

TEST_CASE("kill ends several at once, and all that it can") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto first = submit(cluster, "sleep 1000", {});
  auto second = submit(cluster, "sleep 1000", {});
  REQUIRE(reaches(cluster, first, "RUNNING"));
  REQUIRE(reaches(cluster, second, "RUNNING"));
  // One that is no id stops all of it.
  CHECK(cluster.run({"kill", first, "everything"}).status == 2);
  CHECK(text_of(driver(cluster, first).value(), "state") == "RUNNING");
  auto result = cluster.run({"kill", first, "driver-1", "app-1", second});
  CHECK(result.status == 1);
  CHECK(result.out == "killed " + first + "\nkilled " + second + '\n');
  CHECK(lines_of(result.err).size() == 2);
  CHECK(reaches(cluster, first, "KILLED"));
  CHECK(reaches(cluster, second, "KILLED"));
}

TEST_CASE("a supervised driver is started again when it is killed or fails") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto id
      = submit(cluster, "echo $$ >> pids; exec sleep 1000", {"--supervise"});
  auto pids = [&] { return lines_of(contents_of(cluster.path("pids"))); };
  REQUIRE(eventually([&] { return pids().size() == 1; }));
  ::kill(std::stoi(pids()[0]), SIGKILL);
  REQUIRE(eventually([&] { return pids().size() == 2; }));
  // Its supervisor dies: so does the program, and is started again.
  auto pid = std::stoi(pids()[1]);
  ::kill(stoker::process::read_process(pid)->parent, SIGKILL);
  REQUIRE(eventually([&] { return pids().size() == 3; }));
  CHECK(!stoker::process::read_process(pid));
  CHECK(text_of(driver(cluster, id).value(), "state") == "RUNNING");
  CHECK(cluster.run({"kill", id}).status == 0);
  CHECK(reaches(cluster, id, "KILLED"));
}

TEST_CASE("a supervised driver runs elsewhere when its worker is lost") {
  Cluster cluster;
  cluster.start_master({"--conf", "stoker.reconnect.timeout=2s"});
  auto first = cluster.start_worker({"--conf", "stoker.orphan.grace=1s"});
  auto supervised
      = submit(cluster, "echo $STOKER_WORKER_ID | tee -a starts; sleep 1000",
               {"--supervise"});
  auto other = submit(cluster, "sleep 1000");
  REQUIRE(reaches(cluster, supervised, "RUNNING"));
  REQUIRE(reaches(cluster, other, "RUNNING"));
  auto starts = [&] { return lines_of(contents_of(cluster.path("starts"))); };
  REQUIRE(eventually([&] { return starts().size() == 1; }));
  auto second = cluster.start_worker();
  first.process->send(SIGKILL);
  REQUIRE(eventually([&] { return starts().size() == 2; }));
  CHECK(starts() == std::vector<std::string>{first.id, second.id});
  auto old = driver(cluster, supervised).value();
  CHECK(text_of(old, "state") == "RELAUNCHING");
  auto successor = text_of(old, "relaunched_as");
  CHECK(text_of(driver(cluster, successor).value(), "worker_id") == second.id);
  // Whoever started it knows it by its first id.
  auto logs = cluster.run({"logs", supervised});
  CHECK(logs.status == 1);
  CHECK(logs.out == second.id + '\n');
  CHECK(logs.err.find("is lost, and what was not read of this output with it")
        != std::string::npos);
  CHECK(logs.err.find("started again as " + successor) != std::string::npos);
  CHECK(logs.err.ends_with("stoker: some output is missing\n"));
  CHECK(cluster.run({"kill", supervised}).status == 0);
  CHECK(reaches(cluster, successor, "KILLED"));
  // Nobody asked for the other one to run again.
  CHECK(text_of(driver(cluster, other).value(), "state") == "ERROR");
}

TEST_CASE(
    "a decommissioned worker takes nothing new and ends when it is idle") {
  Cluster cluster;
  cluster.start_master();
  auto first = cluster.start_worker();
  auto& run = cluster.start_script(
      1, "echo started; until [ -e go ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return run.out() == "started\n"; }));
  auto result = cluster.run({"decommission", first.id});
  CHECK(result.status == 0);
  CHECK(result.out == "decommissioned " + first.id + '\n');
  auto second = cluster.start_worker();
  auto elsewhere
      = cluster.run({"run", "--", "sh", "-c", "echo $STOKER_WORKER_ID"});
  CHECK(elsewhere.out == second.id + '\n');
  CHECK(first.process->running());
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
  CHECK(first.process->result().status == 0);
}
