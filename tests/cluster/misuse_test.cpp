// Wrong input of all kinds: one line that says what is wrong, an exit code that
// tells whose fault it is, and nothing else.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

struct Misuse {
  std::vector<std::string> words;
  int status = 0;

  /// Stands in the line.
  std::string reason;
};

void check(Cluster& cluster, const Misuse& misuse) {
  auto& process = cluster.stoker(misuse.words);
  INFO(process.description());
  auto result = process.result();
  INFO("standard error: " << result.err);
  CHECK(result.status == misuse.status);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 1);
  CHECK(result.err.starts_with("stoker: "));
  CHECK(result.err.find(misuse.reason) != std::string::npos);
}

/// Where nobody listens.
std::string nowhere(Sandbox& sandbox) {
  return "stoker://127.0.0.1:" + std::to_string(sandbox.reserve_port());
}

} // namespace

TEST_CASE("wrong words on the command line are told in one line") {
  Cluster cluster;
  const auto master = cluster.environment.at("STOKER_MASTER");
  cluster.environment.erase("STOKER_MASTER");
  auto misuse = GENERATE_REF(values<Misuse>({
      {{}, 2, "subcommand"},
      {{"frobnicate"}, 2, "'frobnicate' is not a command (see"},
      {{"histroy"}, 2, "not a command (did you mean 'history'?)"},
      {{"submit", "--max-restarts", "2", "--supervise=false", "--", "true"},
       2,
       "does not go with --supervise=false"},
      {{"run", "--no-such-option", "--", "true"}, 2, "--no-such-option"},
      {{"run"}, 2, "command"},
      {{"run", "--"}, 2, "command"},
      {{"submit"}, 2, "command"},
      {{"run", "-n", "0", "--", "true"}, 2, "-n"},
      {{"run", "-n", "many", "--", "true"}, 2, "'many' is not a number"},
      {{"run", "-n", "--", "true"}, 2, "--instances"},
      {{"run", "--cores", "0", "--", "true"}, 2, "1 core"},
      {{"run", "--memory", "0", "--", "true"}, 2, "1 MB"},
      {{"run", "--memory", "2x", "--", "true"}, 2, "'2x'"},
      {{"run", "--memory", "100k", "--", "true"}, 2, "with m, g or t"},
      {{"run", "--memory", "-1g", "--", "true"}, 2, "-1g"},
      {{"run", "--retries", "-1", "--", "true"}, 2, "--retries"},
      {{"run", "--master-timeout", "soon", "--", "true"}, 2, "'soon'"},
      {{"run", "--export", "", "--", "true"}, 2, "--export: it is empty"},
      {{"run", "--on-end", "", "--", "true"}, 2, "--on-end: it is empty"},
      {{"submit", "--on-end-url", " ", "--", "true"}, 2, "it is empty"},
      {{"run", "--on-end", "true", "--on-end-retries", "2000", "--", "true"},
       2,
       "--on-end-retries is at most 1000"},
      {{"run", "--after", "app-1,app-2", "--", "true"},
       2,
       "repeat --after for each"},
      {{"submit", "--after-ok", "app-1,driver-2", "--", "true"},
       2,
       "repeat --after-ok for each"},
      {{"history", "--monthly", "--name", "x"}, 2, "not with --name"},
      {{"history", "--state", "bogus"}, 2, "there are FINISHED"},
      {{"history", "--company", ""}, 2, "--company: it is empty"},
      {{"history", "--user", ""}, 2, "--user: it is empty"},
      {{"history", "--monthly", "--user", ""}, 2, "--user: it is empty"},
      {{"history", "--name", ""}, 2, "--name: it is empty"},
      {{"history", "--state", ""}, 2, "--state: it is empty"},
      {{"history", "--since", ""}, 2, "--since: it is empty"},
      {{"history", "--until", ""}, 2, "--until: it is empty"},
      {{"history", ""}, 2, "ID: it is empty"},
      {{"history", "--kind", ""}, 2, "--kind"},
      {{"history", "--since", "2026"},
       2,
       "'2026' is no time: write 2026-11-26"},
      {{"run", "--env", "NOT_SET_HERE", "--", "true"}, 2, "NOT_SET_HERE"},
      {{"run", "--conf", "spark.executor.memory=2x", "--", "true"}, 2, "'2x'"},
      {{"run", "--conf", "no.such.setting=1", "--", "true"},
       2,
       "no.such.setting"},
      {{"run", "--conf", "nothing", "--", "true"}, 2, "NAME=VALUE"},
      {{"run", "--master", "localhost", "--", "true"}, 2, "stoker://"},
      {{"run", "--master", "stoker://host:port", "--", "true"}, 2, "stoker://"},
      {{"run", "--tls-cert", "a.pem", "--", "true"}, 2, "--tls-key"},
      {{"status", "things"}, 2, "things"},
      {{"status", "--", "things"}, 2, "things"},
      {{"kill"}, 2, "ID"},
      {{"kill", "everything"}, 2, "'everything' is not an id"},
      {{"logs", "worker-1"}, 2, "is the id of no application, executor"},
      {{"logs", "app-1", "--instance", "-1"},
       2,
       "stoker: --instance must not be negative (see 'stoker logs --help')\n"},
      {{"log", "show", "x", "--from", "-1"},
       2,
       "stoker: --from must be at least 1 (see"},
      {{"log", "show", "x", "--to", "0"}, 2, "--to must be at least 1"},
      {{"log", "show", "x", "--from", "18446744073709551616"},
       2,
       "'18446744073709551616' is not a number"},
      {{"log", "show", "x", "--from", "10", "--to", "5"},
       2,
       "--from 10 is after --to 5"},
      {{"replay", "x", "--until", "-1"}, 2, "--until must not be negative"},
      {{"master", "--seed", "-1"}, 2, "--seed must not be negative"},
      {{"master", "--seed", ""}, 2, "--seed"},
      {{"run", "--env", "A=1", "--env", "A=2", "--", "true"},
       2,
       "--env: 'A' is given more than once"},
      {{"run", "--resource", "gpu=1", "--resource", "gpu=2", "--", "true"},
       2,
       "--resource: 'gpu' is given more than once"},
      {{"submit", "--resource", "gpu=1", "--resource", "gpu=1", "--", "true"},
       2,
       "--resource: 'gpu' is given more than once"},
      {{"submit", "--with-executors", "1", "--executor-resource", "gpu=1",
        "--executor-resource", "gpu=2", "--", "true"},
       2,
       "--executor-resource: 'gpu' is given more than once"},
      {{"worker", master, "--resource", "gpu=0", "--resource", "gpu=1"},
       2,
       "--resource: 'gpu' is given more than once"},
      {{"certs", "certs"}, 2, "--host"},
      {{"certs", "certs", "--host", "a/b"}, 2, "'a/b'"},
      {{"certs", "certs", "--user", ""}, 2, "must not be empty"},
      {{"certs", "", "--user", "ann"}, 2, "the directory for certificates is"},
      {{"certs", "certs", "--host", "a", "--user", "a"}, 2, "another name"},
      {{"certs", "/proc/no-such", "--user", "ann"}, 1, "/proc/no-such"},
      {{"worker"}, 2, "MASTER"},
      {{"worker", "http://127.0.0.1"}, 2, "stoker://"},
      {{"worker", master, "--cores", "0"}, 2, "1 core"},
      {{"worker", master, "--cores", "-3"}, 2, "1 core"},
      {{"worker", master, "--memory", "0"}, 2, "1 MB"},
      {{"worker", master, "--memory", "2x"}, 2, "'2x'"},
      {{"worker", master, "--conf", "stoker.orphan.grace=x"}, 2, "'x'"},
      {{"worker", master, "--spark-home", "/usr"}, 2, "no Spark in '/usr'"},
      {{"worker", master, "--instances", "2", "--spark-home", "/usr"},
       2,
       "no Spark in '/usr'"},
      {{"local", "--spark-home", "/usr:/bin"}, 2, "no Spark in '/usr'"},
      {{"local", "--workers", "0"}, 2, "1 worker"},
      {{"local", "--workers", "-2"}, 2, "1 worker"},
      {{"local", "--cores", "0"}, 2, "1 core"},
      {{"master", "--port", "70000"}, 2, "70000"},
      {{"master", "--port", "-1"}, 2, "-1"},
      {{"master", "--conf", "spark.worker.timeout=0s"},
       2,
       "spark.worker.timeout"},
      {{"master", "--config", "/no/such/file"}, 2, "/no/such/file"},
      {{"master", "--config", "/"}, 2, "/"},
      {{"master", "--tls-cert", "/no/such/a", "--tls-key", "/no/such/b",
        "--tls-ca", "/no/such/c"},
       2,
       "/no/such/a"},
      {{"master", "--port", "0", "--log", "/no/such/log"}, 1, "/no/such/log"},
      {{"master", "--data", "/proc/no-such"}, 1, "/proc/no-such"},
      {{"master", "--host", "no.such.host.invalid"}, 2, "no.such.host"},
      {{"master", "--web-port", "8080", "--web-host", "0.0.0.0"},
       2,
       "will not show pages"},
      {{"local", "--web-port", "8080", "--web-host", "0.0.0.0"},
       2,
       "will not show pages"},
      {{"master", "--tenants", "/no/such/file"}, 1, "/no/such/file"},
      {{"local", "--tenants", "/no/such/file"}, 1, "/no/such/file"},
      {{"worker", master, "--tenants", "/no/such/file"}, 2, "/no/such/file"},
      {{"worker", master, "--work-dir", "/proc/no-such"}, 1, "/proc/no-such"},
  }));
  check(cluster, misuse);
}

TEST_CASE("a wrong configuration makes no directory") {
  Cluster cluster;
  const auto master = cluster.environment.at("STOKER_MASTER");
  const auto certs = cluster.path("certs");
  REQUIRE(cluster.run({"certs", certs, "--user", "ann"}).status == 0);
  const std::vector<std::string> of_a_user{"--tls-cert", certs + "/ann.pem",
                                           "--tls-key",  certs + "/ann-key.pem",
                                           "--tls-ca",   certs + "/ca.pem"};
  const std::vector<std::string> missing{"--tls-cert", "/no/such/a",
                                         "--tls-key",  "/no/such/b",
                                         "--tls-ca",   "/no/such/c"};
  const auto wrong_tenants = cluster.path("tenants.toml");
  std::ofstream{wrong_tenants} << "nosuch = 1\n";
  const auto directory = cluster.path("made");
  auto refuse
      = [&](std::vector<std::string> words,
            const std::vector<std::string>& wrong, const std::string& why) {
          words.insert(words.end(), wrong.begin(), wrong.end());
          check_refusal(cluster.run(words), 2, why);
          CHECK_FALSE(fs::exists(directory));
        };
  for (const auto* command : {"master", "local"}) {
    const std::vector<std::string> words{command, "--port", "0", "--data",
                                         directory};
    refuse(words, of_a_user, "a master needs the certificate of a node");
    refuse(words, missing, "/no/such/a");
    refuse(words, {"--host", "0.0.0.0"}, "without TLS");
    refuse(words, {"--web-port", "8080", "--web-host", "0.0.0.0"},
           "without TLS");
    refuse(words, {"--tenants", wrong_tenants}, wrong_tenants + ":1: ");
    refuse(words, {"--spark-users", "ann"}, "--spark-users is 'own'");
    refuse(words, {"--web-users", "any"}, "--web-users is 'own'");
  }
  refuse({"worker", master, "--work-dir", directory}, missing, "/no/such/a");
}

TEST_CASE("a hint leads to the help of the command that was written") {
  Cluster cluster;
  auto misuse = GENERATE(values<Misuse>(
      {{{"log"}, 2, "(see 'stoker log --help')"},
       {{"log", "nosuch"}, 2, "(see 'stoker log --help')"},
       {{"log", "show"}, 2, "(see 'stoker log show --help')"},
       {{"log", "show", "f", "--app"}, 2, "(see 'stoker log show --help')"},
       {{"log", "show", "f", "--from", "x"},
        2,
        "(see 'stoker log show --help')"},
       {{"data", "show"}, 2, "(see 'stoker data show --help')"},
       {{"data", "show", "d", "--nosuch"},
        2,
        "(see 'stoker data show --help')"},
       {{"certs", "d"}, 2, "(see 'stoker certs --help')"}}));
  check(cluster, misuse);
}

TEST_CASE("an error commands no terminal") {
  Cluster cluster;
  check_refusal(cluster.run({"status", "--master", "x\x1b[31m\r\n"}), 2,
                "'x?[31m? '");
}

TEST_CASE("a directory that is gone is told to who runs something in it") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto& process = cluster.start(
      {"sh", "-c",
       "mkdir gone && cd gone && rmdir ../gone && exec '" STOKER_PROGRAM
       "' run -- true"});
  check_refusal(process.result(), 1, "this directory cannot be found any more");
}

TEST_CASE("a wrong configuration file is told with its line") {
  Cluster cluster;
  auto write = [&](const std::string& text) {
    std::ofstream{cluster.path("stoker.toml")} << text;
  };
  auto file = cluster.path("stoker.toml");
  std::vector<std::string> words{"master", "--config", file, "--port",
                                 std::to_string(cluster.port())};
  SECTION("not TOML") {
    write("host = \"127.0.0.1\"\nport = = 1\n");
    check(cluster, {words, 2, file + ":2: "});
  }
  SECTION("not an option") {
    write("prot = 7070\n");
    check(cluster, {words, 2, file + ":1: 'prot'"});
  }
  SECTION("not a setting") {
    write("\nspark.no.such = \"1\"\n");
    check(cluster, {words, 2, file + ":2: spark.no.such"});
  }
  SECTION("a wrong unit") {
    write("[spark.worker]\ntimeout = \"60 parsecs\"\n");
    check(cluster, {words, 2, file + ":2: spark.worker.timeout"});
  }
  SECTION("a wrong type") {
    write("host = [1, 2]\n");
    check(cluster, {words, 2, file + ":1: "});
  }
  SECTION("a wrong value of an option") {
    write("seed = \"x\"\n");
    check(cluster, {words, 2, file + ":1: "});
  }
  SECTION("not readable") {
    write("");
    ::chmod(file.c_str(), 0);
    cluster.unprivileged = true;
    check(cluster, {words, 2, "Permission denied"});
  }
}

TEST_CASE("a key that no command knows is refused by those that ask, too") {
  Cluster cluster;
  auto file = cluster.path("stoker.toml");
  cluster.environment["STOKER_CONFIG"] = file;
  auto words = GENERATE(
      as<std::vector<std::string>>{}, std::vector<std::string>{"status"},
      std::vector<std::string>{"queues"},
      std::vector<std::string>{"kill", "driver-1"},
      std::vector<std::string>{"logs", "driver-1"},
      std::vector<std::string>{"explain", "app-1"},
      std::vector<std::string>{"plan"}, std::vector<std::string>{"reload"},
      std::vector<std::string>{"decommission", "worker-1"});
  SECTION("an option") {
    std::ofstream{file} << "port = 1\nmastre = \"stoker://127.0.0.1:1\"\n";
    check(cluster, {words, 2,
                    file
                        + ":2: 'mastre' is not an option of any command (did "
                          "you mean 'master'?)"});
  }
  SECTION("a setting") {
    std::ofstream{file} << "[spark.worker]\ntimeuot = \"60s\"\n";
    check(cluster, {words, 2,
                    file
                        + ":2: spark.worker.timeuot is not a setting of any "
                          "command (did you mean 'spark.worker.timeout'?)"});
  }
}

TEST_CASE("a configuration file sets what the command line does not") {
  Cluster cluster;
  std::ofstream{cluster.path("stoker.toml")}
      << "port = 1\nworkers = 3\ncores = 2\nmemory = \"1g\"\n"
         "spark.worker.timeout = \"8s\"\n";
  cluster.start_local({"--config", cluster.path("stoker.toml")});
  // What is for others does not disturb those that ask.
  cluster.environment["STOKER_CONFIG"] = cluster.path("stoker.toml");
  auto workers = cluster.status().at("workers");
  CHECK(values_of(workers, "cores") == std::vector<std::string>(3, "2"));
  CHECK(values_of(workers, "memory_mb") == std::vector<std::string>(3, "1024"));
}

TEST_CASE("a configuration file of a worker does so as well") {
  Cluster cluster;
  auto file = cluster.path("worker.toml");
  const std::vector<std::string> words{"worker", "stoker://127.0.0.1:1",
                                       "--config", file};
  SECTION("of one") {
    std::ofstream{file} << "spark-home = \"/usr\"\n";
    check(cluster, {words, 2, "no Spark in '/usr'"});
  }
  SECTION("of several") {
    std::ofstream{file} << "instances = 0\n";
    check(cluster, {words, 2, "from 1 to 1000"});
  }
}

TEST_CASE("what is wrong in the environment is told, too") {
  Cluster cluster;
  SECTION("the master") {
    cluster.environment["STOKER_MASTER"] = "junk";
    check(cluster, {{"status"}, 2, "'junk'"});
  }
  SECTION("a number") {
    cluster.environment["STOKER_WORKER_CORES"] = "many";
    check(cluster, {{"worker"}, 2, "many"});
  }
}

TEST_CASE("a master that cannot be reached ends commands with 69") {
  Cluster cluster;
  cluster.environment["STOKER_MASTER"] = nowhere(cluster);
  cluster.environment["STOKER_MASTER_TIMEOUT"] = "0s";
  auto words = GENERATE(as<std::vector<std::string>>{},
                        std::vector<std::string>{"status"},
                        std::vector<std::string>{"run", "--", "true"},
                        std::vector<std::string>{"submit", "--", "true"},
                        std::vector<std::string>{"kill", "driver-1"},
                        std::vector<std::string>{"logs", "driver-1"},
                        std::vector<std::string>{"decommission", "worker-1"});
  check(cluster, {words, 69, "Connection refused"});
}

TEST_CASE("a worker that finds no master ends with 69 and the reason") {
  Cluster cluster;
  auto result = cluster.run({"worker", nowhere(cluster), "--work-dir",
                             cluster.path("work"), "--master-timeout", "0s"});
  CHECK(result.status == 69);
  CHECK(result.err.find("Connection refused") != std::string::npos);
}

TEST_CASE("of several masters the one that answers is used") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto& master = cluster.environment.at("STOKER_MASTER");
  master
      = nowhere(cluster) + ',' + master.substr(std::string{"stoker://"}.size());
  CHECK(cluster.run({"status"}).status == 0);
  CHECK(cluster.run({"run", "--", "echo", "hello"}).out == "hello\n");
}

TEST_CASE("ids that are not known are told, and change nothing") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_script(
      1, "echo started; until [ -e go ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return run.out() == "started\n"; }));
  auto app = values_of(cluster.status().at("active_apps"), "id").at(0);
  for (const auto* id : {"app-1", "app-1/0", "driver-1"})
    check(cluster, {{"kill", id}, 1, "driver"[0] == id[0] ? id : "app-1"});
  check(cluster, {{"kill", app + "/7"}, 1, app + "/7"});
  check(cluster, {{"logs", app + "/7"}, 1, "no such"});
  check(cluster, {{"logs", "driver-1"}, 1, "no such"});
  check(cluster, {{"logs", "driver-1", "--follow"}, 1, "no such"});
  check(cluster, {{"decommission", "worker-1"}, 1, "worker-1"});
  auto worker = values_of(cluster.status().at("workers"), "id").at(0);
  check(cluster, {{"kill", worker}, 1, "stoker decommission"});
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
}

TEST_CASE("a port or a data directory that is taken is told") {
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "1", "--memory", "1g"});
  auto port = std::to_string(cluster.port());
  auto other_data = cluster.path("other");
  for (const auto* command : {"master", "local"}) {
    check(cluster, {{command, "--port", port, "--data", other_data}, 1, port});
  }
  // A master would stand by.
  check(cluster, {{"local", "--port", std::to_string(cluster.reserve_port()),
                   "--data", cluster.path("data")},
                  1,
                  "another master has it"});
  CHECK(cluster.run({"run", "--", "echo", "hello"}).out == "hello\n");
}

TEST_CASE("a directory that must not be written is told") {
  Cluster cluster;
  fs::create_directory(cluster.path("locked"));
  ::chmod(cluster.path("locked").c_str(), 0555);
  ::chmod(cluster.path("outputs").c_str(), 0777);
  cluster.unprivileged = true;
  auto master = cluster.environment.at("STOKER_MASTER");
  check(cluster, {{"worker", master, "--work-dir", cluster.path("locked")},
                  1,
                  "Permission denied"});
  check(cluster, {{"worker", master, "--work-dir", cluster.path("locked/work")},
                  1,
                  "Permission denied"});
  check(cluster, {{"local", "--port", "0", "--data", cluster.path("locked")},
                  1,
                  "Permission denied"});
}

TEST_CASE("a full disk is told by a worker that starts, and by one that runs") {
  if (::getuid() != 0) {
    skip("only root can make a small disk");
    return;
  }
  Cluster cluster;
  auto disk = cluster.path("disk");
  fs::create_directory(disk);
  // A worker that may be mended is tried again and again.
  cluster.start_master({"--conf", "stoker.worker.backoff=1ms"});
  // In a mount namespace of its own, so that nothing is left of the mount.
  auto start = [&](const std::string& preparation) -> Process& {
    return cluster.start(
        {"unshare", "--mount", "sh", "-c",
         "mount -t tmpfs -o size=64k tmpfs '" + disk + "' && " + preparation
             + " exec '" STOKER_PROGRAM "' worker \"$STOKER_MASTER\" --cores 1 "
               "--memory 1g --work-dir '"
             + disk + "'"});
  };
  auto fill = "head -c 1000000 /dev/zero > '" + disk + "/full' 2> /dev/null;";
  SECTION("at its start") {
    auto result = start(fill).result();
    CHECK(result.status == 1);
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.err.find("No space left on device") != std::string::npos);
  }
  SECTION("later") {
    auto& worker = start("");
    REQUIRE(eventually([&] {
      return worker.err().find("registered with") != std::string::npos;
    }));
    std::ofstream full{"/proc/" + std::to_string(worker.pid()) + "/root" + disk
                       + "/full"};
    full << std::string(1'000'000, '.') << std::flush;
    CHECK(!full);
    auto result = cluster.run({"run", "--", "true"});
    CHECK(result.status == 1);
    CHECK(result.err.find("No space left on device") != std::string::npos);
  }
}
