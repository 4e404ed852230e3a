// What instances and drivers write arrives whole, however much that is, whoever
// reads it, and whatever dies meanwhile; where it does not, that is an error.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cluster/output_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace fs = std::filesystem;

namespace {

// A sanitizer makes all of it ten times slower.
#if defined(STOKER_SANITIZED)
constexpr std::int64_t two_gigabytes = 400'000'000;
#else
constexpr std::int64_t two_gigabytes = 2'000'000'000;
#endif

/// The most memory that a process had, in MB.
[[maybe_unused]] long peak_memory_mb(const Process& process) {
  std::istringstream lines{
      contents_of("/proc/" + std::to_string(process.pid()) + "/status")};
  std::string line;
  while (std::getline(lines, line))
    if (line.starts_with("VmHWM:"))
      return std::stol(line.substr(6)) / 1024;
  return 0;
}

bool said(const Process& process, const std::string& words) {
  return process.err().find(words) != std::string::npos;
}

} // namespace

TEST_CASE("two gigabytes arrive whole through a reader that stops") {
  OutputCluster cluster;
  [[maybe_unused]] auto& local
      = cluster.start_local({"--cores", "2", "--memory", "1g"});
  auto& run = cluster.start_piped_run(write_lines(two_gigabytes));
  // Four files of 64 MiB are kept for a reader; more waits in the program.
  cluster.await_full_logs(std::uintmax_t{4} * 64 * 1024 * 1024);
  CHECK(run.running());
  auto sum = cluster.read();
  CHECK(sum == cluster.checksum_of(write_lines(two_gigabytes)));
#if !defined(STOKER_SANITIZED)
  CHECK(peak_memory_mb(local) < 200);
#endif
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  // A last buffer of each stream comes on top.
  CHECK(cluster.bytes_on_disk() < std::uintmax_t{260} * 1024 * 1024);
}

TEST_CASE("a run needs no memory for what its reader has not read") {
  OutputCluster cluster;
  cluster.start_local(with_small_logs({"--cores", "2", "--memory", "1g"}));
  auto& run = cluster.start_piped_run(write_lines(100'000'000), {}, 2);
  cluster.await_full_logs(std::uintmax_t{8} * 1024 * 1024);
#if !defined(STOKER_SANITIZED)
  CHECK(peak_memory_mb(run) < 150);
#endif
  cluster.read();
  CHECK(run.result().status == 0);
}

TEST_CASE("a run that may drop output says how much") {
  OutputCluster cluster;
  cluster.start_local(with_small_logs({"--cores", "1", "--memory", "1g"}));
  auto script = write_lines(200'000'000) + "; touch written";
  auto& run = cluster.start_piped_run(
      script, {"--conf", "stoker.app.output.whenFull=drop"});
  // Nobody reads, and still it comes to its end.
  REQUIRE(eventually([&] { return fs::exists(cluster.path("written")); }));
  cluster.read();
  auto result = run.result();
  CHECK(result.status == 0);
  CHECK(result.err.find("bytes of its standard output were dropped")
        != std::string::npos);
}

TEST_CASE("Ctrl-C ends a run whose output nobody reads") {
  OutputCluster cluster;
  cluster.start_local(with_small_logs({"--cores", "1", "--memory", "1g"}));
  auto& run = cluster.start_piped_run("yes");
  cluster.await_full_logs(std::uintmax_t{4} * 1024 * 1024);
  run.send(SIGINT);
  CHECK(run.result().status == 130);
  cluster.read();
}

TEST_CASE("all output arrives when a run is ended before its output is read") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "2g"});
  const auto writes = write_lines(10'000'000);
  auto script = writes + "; touch written; exec sleep 1000";
  auto await_written = [&] {
    REQUIRE(eventually([&] { return fs::exists(cluster.path("written")); }));
  };
  int status = 0;
  Process* run = nullptr;
  SECTION("its time is up") {
    status = 1;
    run = &cluster.start_piped_run(script, {"--time-limit", "10s"});
  }
  SECTION("it is killed") {
    status = 1;
    run = &cluster.start_piped_run(script);
    await_written();
    auto id = text_of(cluster.status().at("active_apps").at(0), "id");
    CHECK(cluster.run({"kill", id}).status == 0);
  }
  SECTION("another instance fails") {
    status = 5;
    run = &cluster.start_piped_run(
        "[ $STOKER_INDEX = 0 ] || { until [ -e written ]; do sleep 0.05; done; "
        "exit 5; }; "
            + script,
        {}, 2);
  }
  await_written();
  REQUIRE(eventually(
      [&] { return cluster.status().at("active_apps").as_array().empty(); }));
  CHECK(cluster.read() == cluster.checksum_of(writes));
  CHECK(run->result().status == status);
}

TEST_CASE("a run ends when the reader of its output has gone") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto result
      = cluster
            .start({"sh", "-c",
                    "('" STOKER_PROGRAM "' run -- yes; echo $? > status) "
                    "| head -n 1"})
            .result();
  CHECK(result.out == "y\n");
  CHECK(result.err.empty());
  CHECK(contents_of(cluster.path("status")) == "141\n");
  // Nothing of it is left, and it tells why.
  CHECK(eventually(
      [&] { return cluster.status().at("active_apps").as_array().empty(); }));
  auto ended = cluster.status().at("completed_apps").at(0);
  CHECK(text_of(ended, "message") == "its output was closed");
}

TEST_CASE("a command whose reader has gone ends without a word") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  for (const std::string words :
       {"status", "status --json", "queues", "history", "--help", "man run",
        "completion bash", "completion zsh"}) {
    INFO(words);
    // The reader has gone before anything is written.
    auto result
        = cluster
              .start(
                  {"sh", "-c",
                   "(until [ -e gone ]; do sleep 0.01; done; '" STOKER_PROGRAM
                   "' " + words
                       + "; echo $? > status) | { exec < /dev/null; "
                         "touch gone; }; rm gone"})
              .result();
    CHECK(result.err.empty());
    CHECK(contents_of(cluster.path("status")) == "141\n");
  }
}

TEST_CASE("output that cannot be written is an error of every command") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto submitted = cluster.run({"submit", "--", "echo", "something"});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  REQUIRE(eventually([&] {
    return cluster.run({"logs", driver}).out == "something\n";
  }));
  auto [place, reason] = GENERATE(table<std::string, std::string>(
      {{"> /dev/full", "No space left on device"},
       // No connection gets its number, and what is printed.
       {">&-", "Bad file descriptor"}}));
  for (const std::string words :
       {"run -- echo something", "status", "status --json", "queues",
        "logs DRIVER", "submit -- true", "--help", "run --help"}) {
    INFO(words << ' ' << place);
    auto command = words;
    if (auto i = command.find("DRIVER"); i != std::string::npos)
      command.replace(i, 6, driver);
    auto result = cluster
                      .start({"sh", "-c",
                              "'" STOKER_PROGRAM "' " + command + ' ' + place})
                      .result();
    CHECK(result.status == 1);
    // What was submitted is told nevertheless, so that nobody does it again.
    auto lines = lines_of(result.err);
    auto is_submitted = words.starts_with("submit");
    REQUIRE(lines.size() == (is_submitted ? 2 : 1));
    CHECK(lines.back() == "stoker: cannot write to standard output: " + reason);
    if (is_submitted)
      CHECK(lines.front().ends_with(" was submitted"));
  }
}

TEST_CASE("all output arrives when its worker is decommissioned") {
  OutputCluster cluster;
  cluster.start_master();
  auto first = cluster.start_worker();
  cluster.start_worker();
  // Equal lines, since those of instances come in any order.
  std::string line = "head -c 16000000 /dev/zero; echo";
  auto& run
      = cluster.start_piped_run("echo > here-$STOKER_INDEX; until [ -e go "
                                "]; do sleep 0.05; done; "
                                    + line,
                                {}, 4);
  REQUIRE(eventually([&] {
    for (int i = 0; i < 4; ++i)
      if (!fs::exists(cluster.path("here-" + std::to_string(i))))
        return false;
    return true;
  }));
  REQUIRE(cluster.run({"decommission", first.id}).status == 0);
  std::ofstream{cluster.path("go")};
  CHECK(cluster.read()
        == cluster.checksum_of("for i in 1 2 3 4; do " + line + "; done"));
  CHECK(run.result().status == 0);
  // It leaves when there is nothing more to take.
  CHECK(first.process->result().status == 0);
}

TEST_CASE("all output arrives when its worker is killed and started again") {
  OutputCluster cluster;
  cluster.start_master();
  auto start_worker = [&]() -> Process& {
    auto words = with_small_logs(
        {"worker", cluster.environment.at("STOKER_MASTER"), "--cores", "2",
         "--memory", "1g", "--work-dir", cluster.path("work")});
    auto& result = cluster.stoker(words);
    REQUIRE(eventually([&] { return said(result, "registered with"); }));
    return result;
  };
  auto& worker = start_worker();
  auto& run = cluster.start_piped_run(write_lines(100'000'000));
  cluster.await_full_logs(std::uintmax_t{4} * 1024 * 1024);
  worker.send(SIGKILL);
  worker.result();
  std::ofstream{cluster.path("read")};
  start_worker();
  CHECK(cluster.read() == cluster.checksum_of(write_lines(100'000'000)));
  CHECK(run.result().status == 0);
}

TEST_CASE("all output arrives when the leader is killed") {
  OutputCluster cluster;
  auto port = cluster.reserve_port();
  cluster.environment["STOKER_MASTER"] += ",127.0.0.1:" + std::to_string(port);
  auto& leader = cluster.start_master();
  auto& standby = cluster.stoker({"master", "--port", std::to_string(port),
                                  "--data", cluster.path("data")});
  REQUIRE(eventually([&] { return said(standby, "STANDBY"); }));
  cluster.start_worker(small_logs);
  auto& run = cluster.start_piped_run(write_lines(100'000'000));
  cluster.await_full_logs(std::uintmax_t{4} * 1024 * 1024);
  std::ofstream{cluster.path("read")};
  leader.send(SIGKILL);
  leader.result();
  CHECK(cluster.read() == cluster.checksum_of(write_lines(100'000'000)));
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
}

TEST_CASE("a run whose output is lost with its worker says so, and fails") {
  OutputCluster cluster;
  cluster.start_master({"--conf", "stoker.reconnect.timeout=2s"});
  auto worker = cluster.start_worker();
  // Many ends that the run has not taken in, as its reader does not read.
  auto script = "echo x >> starts; " + write_lines(960'000);
  auto& run = cluster.start_piped_run(script, {}, 40);
  REQUIRE(eventually([&] {
    auto apps = cluster.status().at("active_apps").as_array();
    if (apps.size() != 1)
      return false;
    auto states = values_of(apps[0].at("executors"), "state");
    return std::count(states.begin(), states.end(), "EXITED") == 40;
  }));
  worker.process->send(SIGKILL);
  worker.process->result();
  cluster.read();
  auto result = run.result();
  CHECK(result.status == 1);
  CHECK(result.err.find("its output is incomplete: worker " + worker.id
                        + " is lost")
        != std::string::npos);
  CHECK(result.err.ends_with("stoker: some output is missing\n"));
  // An instance that ended well is not run again.
  CHECK(lines_of(contents_of(cluster.path("starts"))).size() == 40);
}

TEST_CASE("all output arrives from a disk that is full") {
  if (::getuid() != 0) {
    skip("only root can make a small disk");
    return;
  }
  OutputCluster cluster;
  cluster.start_master();
  auto disk = cluster.path("disk");
  fs::create_directory(disk);
  // In a mount namespace of its own, so that nothing is left of the mount.
  auto& worker = cluster.start(
      {"unshare", "--mount", "sh", "-c",
       "mount -t tmpfs -o size=8m tmpfs '" + disk
           + "' && exec '" STOKER_PROGRAM
             "' worker \"$STOKER_MASTER\" --cores 1 --memory 1g --work-dir '"
           + disk + "'"});
  REQUIRE(eventually([&] { return said(worker, "registered with"); }));
  auto filler
      = "/proc/" + std::to_string(worker.pid()) + "/root" + disk + "/full";
  auto& run = cluster.start_piped_run(
      "touch started; until [ -e go ]; do sleep 0.05; done; "
      + write_lines(100'000'000));
  std::ofstream{cluster.path("read")};
  REQUIRE(eventually([&] { return fs::exists(cluster.path("started")); }));
  SECTION("since it is small") {
    std::ofstream{cluster.path("go")};
  }
  SECTION("since somebody else fills it") {
    {
      std::ofstream full{filler};
      full << std::string(10'000'000, '.') << std::flush;
      CHECK(!full);
    }
    std::ofstream{cluster.path("go")};
    REQUIRE(eventually([&] {
      return said(run, "stoker: instance 0: its output cannot be written: No "
                       "space left on device\n");
    }));
    fs::remove(filler);
  }
  CHECK(cluster.read() == cluster.checksum_of(write_lines(100'000'000)));
  CHECK(run.result().status == 0);
}

TEST_CASE("logs --follow shows all, however slow its reader is") {
  OutputCluster cluster;
  cluster.start_local(with_small_logs({"--cores", "1", "--memory", "1g"}));
  auto submitted
      = cluster.run({"submit", "--", "sh", "-c",
                     "echo started; until [ -e go ]; do sleep 0.05; done; "
                         + write_lines(50'000'000)});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  auto& follow = cluster.start_piped({"logs", driver, "--follow"});
  // Of what is written before anybody follows, not all is kept.
  cluster.await_unread(8);
  std::ofstream{cluster.path("go")};
  cluster.await_full_logs(std::uintmax_t{4} * 1024 * 1024);
  CHECK(cluster.read()
        == cluster.checksum_of("echo started; " + write_lines(50'000'000)));
  CHECK(follow.result().status == 0);
}

TEST_CASE("logs shows what a driver wrote at each of its starts") {
  OutputCluster cluster;
  cluster.start_local({"--cores", "1", "--memory", "1g"});
  auto script = "echo x >> starts; n=$(wc -l < starts); echo start $n; "
                "[ $n -ge 3 ]";
  auto submitted
      = cluster.run({"submit", "--supervise", "--", "sh", "-c", script});
  REQUIRE(submitted.status == 0);
  auto driver = lines_of(submitted.out).front();
  auto follow = cluster.run({"logs", driver, "--follow"});
  CHECK(follow.status == 0);
  CHECK(follow.out == "start 1\nstart 2\nstart 3\n");
  auto later = cluster.run({"logs", driver});
  CHECK(later.status == 0);
  CHECK(later.out == "start 1\nstart 2\nstart 3\n");
}
