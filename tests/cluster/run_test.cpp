// What `stoker run` does for its user while nothing goes wrong with the
// cluster.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// Two workers with room for two instances each.
const std::vector<std::string> two_workers{"--workers", "2",        "--cores",
                                           "2",         "--memory", "1g"};

std::set<std::string> set_of_lines(const std::string& text) {
  auto lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

} // namespace

TEST_CASE("a run shows the output of all instances, each stream as its own") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      3, "echo out $STOKER_INDEX; echo err $STOKER_INDEX >&2");
  CHECK(result.status == 0);
  CHECK(set_of_lines(result.out)
        == std::set<std::string>{"out 0", "out 1", "out 2"});
  CHECK(set_of_lines(result.err)
        == std::set<std::string>{"err 0", "err 1", "err 2"});
}

TEST_CASE("more instances than there is room for run one after the other") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(20, "echo $STOKER_INDEX of $STOKER_COUNT");
  CHECK(result.status == 0);
  std::set<std::string> expected;
  for (int i = 0; i < 20; ++i)
    expected.insert(std::to_string(i) + " of 20");
  CHECK(set_of_lines(result.out) == expected);
  CHECK(lines_of(result.out).size() == 20);
}

TEST_CASE("an instance finds its place in its environment") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "4", "--memory", "2g"});
  auto result = cluster.run_script(
      1, "env | grep ^STOKER_ | grep -v SUPERVISION | sort; pwd",
      {"--cores", "3", "--memory", "700m", "--chdir", "/"});
  REQUIRE(result.status == 0);
  auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 11);
  auto app = lines[0].substr(lines[0].find('=') + 1);
  CHECK(lines[0].starts_with("STOKER_APP_ID=app-"));
  CHECK(lines[1] == "STOKER_CORES=3");
  CHECK(lines[2] == "STOKER_COUNT=1");
  CHECK(lines[3] == "STOKER_EXECUTOR_ID=0");
  CHECK(lines[4].starts_with("STOKER_HOST="));
  CHECK(lines[5] == "STOKER_INDEX=0");
  CHECK(lines[6] == "STOKER_MASTER=" + cluster.environment.at("STOKER_MASTER"));
  CHECK(lines[7] == "STOKER_MEMORY_MB=700");
  CHECK(lines[8].starts_with("STOKER_WORKER_ID=worker-"));
  CHECK(lines[9]
        == "STOKER_WORK_DIR=" + cluster.path("data/work/" + app + "/0/work"));
  CHECK(lines[10] == "/");
}

TEST_CASE("a variable is passed on with --env, by value or by name") {
  Cluster cluster;
  cluster.start_local(two_workers);
  cluster.environment["HERE"] = "as it is here";
  auto result = cluster.run({"run", "--env", "A=1=2", "--env", "HERE", "--",
                             "sh", "-c", "echo $A; echo $HERE"});
  CHECK(result.status == 0);
  CHECK(result.out == "1=2\nas it is here\n");
}

TEST_CASE("a program can use the master that it finds, wherever it listens") {
  Cluster cluster;
  // With port 0 only the cluster knows its port.
  auto& local = cluster.stoker({"local", "--cores", "2", "--memory", "1g",
                                "--port", "0", "--data", cluster.path("data"),
                                "--", STOKER_PROGRAM, "run", "--",
                                STOKER_PROGRAM, "run", "--", "echo", "hello"});
  auto result = local.result();
  CHECK(result.status == 0);
  CHECK(result.out == "hello\n");
}

TEST_CASE("a run ends with the exit code of a command that fails") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      4, "if [ $STOKER_INDEX = 2 ]; then echo bad >&2; exit 7; fi; sleep 600");
  CHECK(result.status == 7);
  CHECK(result.out.empty());
  auto lines = lines_of(result.err);
  CHECK(std::count(lines.begin(), lines.end(), "bad") == 1);
  CHECK(result.err.find("instance 2") != std::string::npos);
  CHECK(result.err.find("exited with code 7") != std::string::npos);
  // The others were ended; nothing holds the cluster's cores.
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0", "0"};
  }));
}

TEST_CASE("a command that a worker cannot start ends a run as in a shell") {
  Cluster cluster;
  cluster.start_local(two_workers);
  std::ofstream{cluster.path("plain")} << "text";
  auto absent = cluster.run({"run", "-n", "3", "--", "no-such-command"});
  CHECK(absent.status == 127);
  CHECK(absent.err.find("no-such-command") != std::string::npos);
  CHECK(absent.err.find("No such file or directory") != std::string::npos);
  auto plain = cluster.run({"run", "--", cluster.path("plain")});
  CHECK(plain.status == 126);
  CHECK(plain.err.find("Permission denied") != std::string::npos);
  auto elsewhere
      = cluster.run({"run", "--chdir", "/no/such/place", "--", "true"});
  CHECK(elsewhere.status == 125);
  CHECK(elsewhere.err.find("cannot enter the working directory "
                           "'/no/such/place': No such file or directory")
        != std::string::npos);
  // It is no fault of the worker, which is given more.
  std::ofstream{cluster.path("long")} << std::string(200'000, 'x');
  auto longer = cluster.run({"run", "true", "::::", cluster.path("long")});
  CHECK(longer.status == 126);
  CHECK(longer.err.find("Argument list too long") != std::string::npos);
  for (const auto& problem :
       values_of(cluster.status().at("workers"), "problem"))
    CHECK(problem == "null");
}

TEST_CASE("a command may fail as often as --retries says") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto script = "echo x >> tries-$STOKER_INDEX; "
                "[ $(wc -l < tries-$STOKER_INDEX) -gt 2 ] || exit 5";
  auto good = cluster.run_script(2, script, {"--retries", "2"});
  CHECK(good.status == 0);
  CHECK(contents_of(cluster.path("tries-0")) == "x\nx\nx\n");
  CHECK(contents_of(cluster.path("tries-1")) == "x\nx\nx\n");
  std::filesystem::remove(cluster.path("tries-0"));
  auto bad = cluster.run_script(1, script, {"--retries", "1"});
  CHECK(bad.status == 5);
  CHECK(contents_of(cluster.path("tries-0")) == "x\nx\n");
}

TEST_CASE(
    "a run that is ended on request ends with 1, however an instance ended "
    "that was started again") {
  Cluster cluster;
  cluster.start_local(two_workers);
  for (const auto* first_end : {"kill -KILL $$", "exit 9"}) {
    INFO(first_end);
    auto script = std::string{"echo x; if ! [ -e was ]; then touch was; "}
                  + first_end + "; fi; sleep 600";
    auto& run = cluster.start_script(1, script, {"--retries", "1"});
    REQUIRE(eventually([&] { return run.out() == "x\nx\n"; }));
    auto id = text_of(cluster.status().at("active_apps").at(0), "id");
    REQUIRE(cluster.run({"kill", id}).status == 0);
    CHECK(run.result().status == 1);
    CHECK(cluster.run({"wait", "--quiet", id}).status == 1);
    std::filesystem::remove(cluster.path("was"));
  }
  auto limited = cluster.run_script(
      1,
      "if ! [ -e was ]; then touch was; kill -KILL $$; fi; touch again; "
      "sleep 600",
      {"--time-limit", "2s"});
  CHECK(limited.status == 1);
  CHECK(std::filesystem::exists(cluster.path("again")));
}

TEST_CASE("a label stands in front of each line, also of one without end") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(
      2, "echo one; sleep 0.3; printf two; echo err >&2", {"--label"});
  CHECK(result.status == 0);
  CHECK(set_of_lines(result.out)
        == std::set<std::string>{"[0] one", "[1] one", "[0] two", "[1] two"});
  CHECK(lines_of(result.out).size() == 4);
  CHECK(set_of_lines(result.err)
        == std::set<std::string>{"[0] err", "[1] err"});
}

TEST_CASE("output is passed on byte by byte") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run(
      {"run", "--", "printf", "a\\0b\\377\\n\\ttwo\\033[0m no end"});
  CHECK(result.status == 0);
  CHECK(result.out == std::string("a\0b\377\n\ttwo\033[0m no end", 20));
}

TEST_CASE("big output is complete") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto result = cluster.run_script(2,
                                   "seq 1 500000 | sed s/^/$STOKER_INDEX:/; "
                                   "seq 1 100000 >&2",
                                   {"--label"});
  REQUIRE(result.status == 0);
  auto lines = lines_of(result.out);
  CHECK(lines.size() == 1'000'000);
  std::map<std::string, int> last;
  auto in_order = std::all_of(lines.begin(), lines.end(), [&](const auto& x) {
    // "[1] 1:77"
    auto index = x.substr(1, 1);
    return x
           == '[' + index + "] " + index + ':' + std::to_string(++last[index]);
  });
  CHECK(in_order);
  CHECK(lines_of(result.err).size() == 200'000);
}

TEST_CASE("output comes while the instance runs") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto& run = cluster.start_script(
      1, "echo ready; until [ -e go ]; do sleep 0.05; done; echo done");
  CHECK(eventually([&] { return run.out() == "ready\n"; }));
  CHECK(run.running());
  std::ofstream{cluster.path("go")};
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(result.out == "ready\ndone\n");
}

TEST_CASE("what never fits is refused at once, with the reason") {
  Cluster cluster;
  cluster.start_local(two_workers);
  auto memory = cluster.run({"run", "--memory", "64g", "--", "true"});
  CHECK(memory.status == 1);
  CHECK(lines_of(memory.err).size() == 1);
  CHECK(memory.err.find("needs 64 GB per executor, the largest worker has 1 GB")
        != std::string::npos);
  auto cores = cluster.run({"run", "--cores", "3", "--", "true"});
  CHECK(cores.status == 1);
  CHECK(lines_of(cores.err).size() == 1);
  CHECK(cores.err.find("needs 3 cores per executor, the largest worker has 2")
        != std::string::npos);
}

TEST_CASE("a run that fits waits for others to end") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto& first = cluster.start_script(
      1, "echo started; until [ -e go ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return first.out() == "started\n"; }));
  auto& second = cluster.start_script(1, "echo second");
  REQUIRE(eventually([&] {
    return values_of(cluster.status().at("active_apps"), "state")
           == std::vector<std::string>{"RUNNING", "WAITING"};
  }));
  CHECK(second.out().empty());
  std::ofstream{cluster.path("go")};
  CHECK(first.result().status == 0);
  CHECK(second.result().out == "second\n");
}

TEST_CASE("many runs share a cluster") {
  Cluster cluster;
  cluster.start_local(two_workers);
  std::vector<Process*> runs;
  for (int i = 0; i < 6; ++i)
    runs.push_back(&cluster.start_script(2, "echo run " + std::to_string(i)));
  for (int i = 0; i < 6; ++i) {
    auto result = runs[static_cast<std::size_t>(i)]->result();
    auto line = "run " + std::to_string(i) + '\n';
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == line + line);
  }
}

TEST_CASE("a local cluster for one command ends with the command's exit code") {
  Cluster cluster;
  auto result
      = cluster.run({"local", "--workers", "2", "--port", "0", "--data",
                     cluster.path("data"), "--", "sh", "-c",
                     "'" STOKER_PROGRAM "' run -n 2 -- echo hello && exit 9"});
  CHECK(result.status == 9);
  CHECK(result.out == "hello\nhello\n");
  CHECK(result.err.empty());
  auto absent = cluster.run({"local", "--port", "0", "--data",
                             cluster.path("data"), "--", "no-such-command"});
  CHECK(absent.status == 127);
  CHECK(lines_of(absent.err).size() == 1);
}

TEST_CASE(
    "a local cluster's command finds open what it was given, and no more") {
  Cluster cluster;
  auto result = cluster.run({"local", "--", "ls", "-l", "/proc/self/fd"});
  CHECK(result.status == 0);
  // Whatever this test was given; but no port of the cluster, nor a file of it.
  CHECK(result.out.find("/dev/null") != std::string::npos);
  for (const auto* not_its_own : {"socket:", "eventpoll", "stoker.db"})
    CHECK(result.out.find(not_its_own) == std::string::npos);
}

TEST_CASE("a local cluster's command ignores and blocks no signal") {
  Cluster cluster;
  auto result = cluster.run(
      {"local", "--", "grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status"});
  auto lines = lines_of(result.out);
  CHECK(lines
        == std::vector<std::string>{"SigBlk:\t0000000000000000",
                                    "SigIgn:\t0000000000000000"});
}

TEST_CASE("local clusters for one command each do not disturb each other") {
  Cluster cluster;
  auto begin = [&](const std::string& name) -> Process& {
    return cluster.stoker(
        {"local", "--cores", "1", "--memory", "1g", "--", "sh", "-c",
         "'" STOKER_PROGRAM "' run -- echo " + name + " && touch " + name
             + " && until [ -e go ]; do sleep 0.01; done"});
  };
  // All three begin at once.
  auto& first = begin("first");
  auto& second = begin("second");
  auto& third = begin("third");
  CHECK(eventually([&] {
    return std::filesystem::exists(cluster.path("first"))
           && std::filesystem::exists(cluster.path("second"))
           && std::filesystem::exists(cluster.path("third"));
  }));
  std::ofstream{cluster.path("go")};
  for (auto* process : {&first, &second, &third}) {
    auto result = process->result();
    CHECK(result.status == 0);
    CHECK(result.err.empty());
  }
}

TEST_CASE("a finished run is shown as finished, with its executors") {
  Cluster cluster;
  cluster.start_local(two_workers);
  REQUIRE(cluster.run_script(2, "true", {"--name", "quick"}).status == 0);
  auto apps = cluster.status().at("completed_apps").as_array();
  REQUIRE(apps.size() == 1);
  CHECK(text_of(apps[0], "name") == "quick");
  CHECK(text_of(apps[0], "state") == "FINISHED");
  CHECK(values_of(apps[0].at("executors"), "state")
        == std::vector<std::string>{"EXITED", "EXITED"});
  CHECK(values_of(apps[0].at("executors"), "exit_status")
        == std::vector<std::string>{"0", "0"});
  auto text = cluster.run({"status", "apps"});
  CHECK(text.status == 0);
  CHECK(text.out.find("quick") != std::string::npos);
  CHECK(text.out.find("FINISHED") != std::string::npos);
}

TEST_CASE("status shows the applications alone when it is asked for them") {
  Cluster cluster;
  cluster.start_local(two_workers);
  REQUIRE(cluster.run_script(2, "true", {"--name", "quick"}).status == 0);
  auto id = values_of(cluster.status().at("completed_apps"), "id").at(0);
  auto shown = cluster.run({"status", "applications"});
  CHECK(shown.status == 0);
  CHECK(shown.err.empty());
  auto lines = lines_of(shown.out);
  INFO(shown.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("ALIVE stoker://127.0.0.1:"));
  CHECK(lines[1] == "Applications");
  std::istringstream heading{lines[2]};
  using Words = std::istream_iterator<std::string>;
  CHECK(std::vector<std::string>{Words{heading}, {}}
        == std::vector<std::string>{"ID", "NAME", "USER", "STATE", "CORES",
                                    "INSTANCES", "DONE", "SUBMITTED", "ELAPSED",
                                    "MESSAGE"});
  std::istringstream row{lines[3]};
  std::vector<std::string> cells{Words{row}, {}};
  REQUIRE(cells.size() > 8);
  CHECK(cells[0] == id);
  CHECK(cells[1] == "quick");
  CHECK(cells[3] == "FINISHED");
  // The instances that are done.
  CHECK(cells[5] + ' ' + cells[6] + ' ' + cells[7] == "2 of 2");
  CHECK(cluster.run({"status", "apps"}).out == shown.out);
  auto none = cluster.run({"status", "applications", "--user", "other"});
  CHECK(none.status == 0);
  CHECK(none.out.ends_with("Applications\n  (none)\n"));
}
