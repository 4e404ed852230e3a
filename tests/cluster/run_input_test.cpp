// stoker run --stdin: instances read what the run is given, whatever dies meanwhile.

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "process/unique_fd.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/noise.hpp"

using namespace stoker::test;
using stoker::process::UniqueFd;

namespace {

const std::vector<std::string> one_worker{"--cores", "4", "--memory", "4g"};

std::string write_file(const Cluster& cluster, const std::string& name,
                       const std::string& content) {
  std::ofstream{cluster.path(name), std::ios::binary} << content;
  return cluster.path(name);
}

struct InputCluster : Cluster {
  /// Starts `stoker run` with these options, after what a shell does with its input, as
  /// "< file" or "printf x |".
  Process& start_with_input(const std::string& before,
                            const std::string& options,
                            const std::string& script,
                            const std::string& after = {}) {
    write_file(*this, "script", script);
    return start({"sh", "-c",
                  before + " exec " STOKER_PROGRAM " run " + options + " -- sh "
                      + path("script") + ' ' + after});
  }

  Result run_with_input(const std::string& before, const std::string& options,
                        const std::string& script,
                        const std::string& after = {}) {
    return start_with_input(before, options, script, after).result();
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return contents_of(path(name));
  }
};

/// A pipe that a run reads and the test writes.
class Fifo {
public:
  explicit Fifo(const std::string& path) {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    fd_ = UniqueFd{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
    REQUIRE(fd_);
  }
  /// @pre it is read
  void write(std::string_view data) const {
    while (!data.empty()) {
      auto n = ::write(fd_.get(), data.data(), data.size());
      REQUIRE(n > 0);
      data.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void close() {
    fd_.reset();
  }

private:
  UniqueFd fd_;
};

/// One instance, which was started once, has all in the file "got".
void check_read_once(const InputCluster& cluster, Process& run,
                     const std::string& data) {
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(cluster.file("got") == data);
  CHECK(lines_of(cluster.file("starts")).size() == 1);
}

void stop(Process& process, int signal = SIGKILL) {
  process.send(signal);
  process.result();
}

} // namespace

TEST_CASE("one instance reads standard input, and the others find it empty") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  auto data = noise(300'000);
  auto file = write_file(cluster, "noise", data);
  auto script = "cat > got-$STOKER_INDEX; echo $STOKER_INDEX";
  auto result
      = cluster.run_with_input("", "--stdin one -n 3", script, "< " + file);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(lines_of(result.out).size() == 3);
  CHECK(cluster.file("got-0") == data);
  CHECK(std::filesystem::file_size(cluster.path("got-1")) == 0);
  CHECK(std::filesystem::file_size(cluster.path("got-2")) == 0);
}

TEST_CASE("all instances read the whole of standard input, each at its pace") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  auto data = noise(1'000'000);
  auto file = write_file(cluster, "noise", data);
  auto& run = cluster.start_with_input(
      "cat " + file + " |", "--stdin all -n 3",
      "if [ $STOKER_INDEX = 1 ]; then until [ -e go ]; do sleep 0.05; done; "
      "fi; cat > got-$STOKER_INDEX; mv got-$STOKER_INDEX all-$STOKER_INDEX");
  // The slow one keeps nobody back.
  CHECK(eventually([&] {
    return cluster.file("all-0") == data && cluster.file("all-2") == data;
  }));
  CHECK(run.running());
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
  CHECK(cluster.file("all-1") == data);
}

TEST_CASE("an input of 50 MB arrives as it was") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  REQUIRE(cluster
              .start({"sh", "-c",
                      "head -c 50000000 /dev/urandom > noise; "
                      "sha256sum < noise > sum"})
              .result()
              .status
          == 0);
  auto sum = cluster.file("sum");
  auto file = cluster.run_with_input("", "--stdin one", "sha256sum", "< noise");
  CHECK(file.out == sum);
  auto pipe
      = cluster.run_with_input("cat noise |", "--stdin all -n 2", "sha256sum");
  CHECK(pipe.out == sum + sum);
}

TEST_CASE("an instance that is started again reads all again") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  auto data = noise(500'000);
  Fifo fifo{cluster.path("fifo")};
  auto script = "echo $$ >> starts; head -c 200000 > part; "
                "mv part part-$(wc -l < starts); "
                "[ -e part-2 ] || sleep 1000; cat > rest";
  auto& run = cluster.start_with_input("", "--stdin one", script, "< fifo");
  fifo.write(std::string_view{data}.substr(0, 300'000));
  REQUIRE(eventually([&] { return !cluster.file("part-1").empty(); }));
  ::kill(std::stoi(cluster.file("starts")), SIGKILL);
  REQUIRE(eventually([&] { return !cluster.file("part-2").empty(); }));
  fifo.write(std::string_view{data}.substr(300'000));
  fifo.close();
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(cluster.file("part-1") == data.substr(0, 200'000));
  CHECK(cluster.file("part-2") + cluster.file("rest") == data);
}

TEST_CASE("input goes on when the master is killed and started again") {
  InputCluster cluster;
  auto& master = cluster.start_master();
  cluster.start_worker();
  auto data = noise(2'000'000);
  Fifo fifo{cluster.path("fifo")};
  auto& run = cluster.start_with_input(
      "", "--stdin all -n 2", "echo x >> starts; cat > got-$STOKER_INDEX",
      "< fifo");
  auto got = [&](std::size_t bytes) {
    return cluster.file("got-0").size() >= bytes
           && cluster.file("got-1").size() >= bytes;
  };
  fifo.write(std::string_view{data}.substr(0, 700'000));
  REQUIRE(eventually([&] { return got(700'000); }));
  // What is written now is under way, or waits for the next master.
  fifo.write(std::string_view{data}.substr(700'000, 100'000));
  stop(master);
  fifo.write(std::string_view{data}.substr(800'000, 60'000));
  cluster.start_master();
  fifo.write(std::string_view{data}.substr(860'000));
  fifo.close();
  auto result = run.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(cluster.file("got-0") == data);
  CHECK(cluster.file("got-1") == data);
  CHECK(lines_of(cluster.file("starts")).size() == 2);
}

TEST_CASE("input goes on with a standby when the master is killed") {
  InputCluster cluster;
  auto& first = cluster.start_master();
  cluster.start_standby();
  cluster.start_worker();
  auto data = noise(1'000'000);
  Fifo fifo{cluster.path("fifo")};
  auto& run = cluster.start_with_input("", "--stdin one",
                                       "echo x >> starts; cat > got", "< fifo");
  fifo.write(std::string_view{data}.substr(0, 400'000));
  REQUIRE(eventually([&] { return cluster.file("got").size() >= 300'000; }));
  stop(first);
  fifo.write(std::string_view{data}.substr(400'000));
  fifo.close();
  check_read_once(cluster, run, data);
}

TEST_CASE("input goes on when its worker is started again") {
  InputCluster cluster;
  cluster.start_master();
  auto start_worker = [&]() -> Process& {
    auto& result = cluster.stoker(
        {"worker", cluster.environment.at("STOKER_MASTER"), "--cores", "2",
         "--memory", "1g", "--work-dir", cluster.path("work")});
    await(result, "registered with");
    return result;
  };
  auto& worker = start_worker();
  auto data = noise(1'500'000);
  Fifo fifo{cluster.path("fifo")};
  // It reads less than comes, so that something waits in the supervisor; all that comes has
  // room on the way.
  auto& run = cluster.start_with_input(
      "", "--stdin one",
      "echo x >> starts; head -c 300000 > got; until [ -e go ]; do sleep 0.05; "
      "done; cat >> got",
      "< fifo");
  fifo.write(std::string_view{data}.substr(0, 450'000));
  REQUIRE(eventually([&] { return cluster.file("got").size() == 300'000; }));
  auto signal = GENERATE(SIGKILL, SIGUSR1);
  stop(worker, signal);
  start_worker();
  std::ofstream{cluster.path("go")};
  fifo.write(std::string_view{data}.substr(450'000));
  fifo.close();
  check_read_once(cluster, run, data);
}

TEST_CASE("a program may stop reading, and then no more is read for it") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  auto head = cluster.run_with_input("yes |", "--stdin all -n 2", "head -n 1");
  CHECK(head.status == 0);
  CHECK(head.out == "y\ny\n");
  auto goes_on = cluster.run_with_input("yes |", "--stdin one",
                                        "exec <&-; sleep 0.3; echo on");
  CHECK(goes_on.status == 0);
  CHECK(goes_on.out == "on\n");
  auto fails = cluster.run_with_input("yes |", "--stdin one", "exit 3");
  CHECK(fails.status == 3);
}

TEST_CASE("an empty input is empty, and none is taken that nobody asked for") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  auto null = cluster.run_with_input("", "--stdin one", "wc -c", "< /dev/null");
  CHECK(null.out == "0\n");
  auto pipe = cluster.run_with_input(": |", "--stdin all -n 2", "wc -c");
  CHECK(pipe.out == "0\n0\n");
  // Without the option the next command reads it.
  auto unread
      = cluster
            .start({"sh", "-c",
                    "echo mine | (" STOKER_PROGRAM " run -n 2 -- wc -c; cat)"})
            .result();
  CHECK(unread.out == "0\n0\nmine\n");
  // With it, what an earlier command has left.
  write_file(cluster, "lines", "one\ntwo\nthree\n");
  auto left = cluster
                  .start({"sh", "-c",
                          "(read first; " STOKER_PROGRAM
                          " run --stdin one -- cat) < lines"})
                  .result();
  CHECK(left.out == "two\nthree\n");
}

TEST_CASE("Ctrl-C ends a run that waits for its terminal") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  int terminal = -1;
  auto pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    for (const auto& [name, value] : cluster.environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    ::execl(STOKER_PROGRAM, "stoker", "run", "--stdin", "one", "--", "sh", "-c",
            "while read x; do echo \"got $x.\"; done", nullptr);
    ::_exit(125);
  }
  UniqueFd screen{terminal};
  REQUIRE(::fcntl(terminal, F_SETFL, O_NONBLOCK) == 0);
  std::string seen;
  auto await_words = [&](const std::string& words) {
    return eventually([&] {
      char buffer[1000];
      if (auto n = ::read(terminal, buffer, sizeof buffer); n > 0)
        seen.append(buffer, static_cast<std::size_t>(n));
      return seen.find(words) != std::string::npos;
    });
  };
  auto type = [&](const std::string& words) {
    CHECK(::write(terminal, words.data(), words.size())
          == static_cast<ssize_t>(words.size()));
  };
  int status = 0;
  auto ends = [&] {
    return eventually([&] {
      char buffer[1000];
      [[maybe_unused]] auto n = ::read(terminal, buffer, sizeof buffer);
      return ::waitpid(pid, &status, WNOHANG) == pid;
    });
  };
  type("hello\n");
  CHECK(await_words("got hello."));
  type("again\n");
  CHECK(await_words("got again."));
  // What one types stands on a line of its own.
  CHECK(seen.find(" running") == std::string::npos);
  SECTION("Ctrl-C") {
    type("\x03");
    REQUIRE(ends());
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
  }
  SECTION("Ctrl-D ends the input alone") {
    type("\x04");
    REQUIRE(ends());
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("a run ends when its input cannot be kept") {
  InputCluster cluster;
  cluster.start_local(one_worker);
  // No file of this shell's may have more than some 100 KB.
  auto full = cluster.run_with_input("ulimit -f 200; yes |", "--stdin one",
                                     "cat > /dev/null; sleep 1000");
  check_refusal(full, 1, "cannot keep standard input in '/tmp'");
  CHECK(eventually([&] {
    return values_of(cluster.status().at("workers"), "cores_used")
           == std::vector<std::string>{"0"};
  }));
  auto apps = cluster.status().at("completed_apps").as_array();
  REQUIRE(apps.size() == 1);
  CHECK(text_of(apps[0], "state") == "FAILED");
  cluster.environment["TMPDIR"] = "/proc/none";
  auto nowhere = cluster.run_with_input("yes |", "--stdin one", "cat");
  check_refusal(nowhere, 1, "cannot keep standard input in '/proc/none'");
}

TEST_CASE("what excludes standard input is refused") {
  InputCluster cluster;
  check_refusal(
      cluster.run({"run", "--stdin", "one", "--barrier", "--", "cat"}), 2,
      "--barrier and --stdin exclude each other");
  check_refusal(
      cluster.run({"run", "--stdin", "all", "--", "cat", "::::", "-"}), 2,
      "--stdin and ':::: -' exclude each other");
  CHECK(cluster.run({"run", "--stdin", "some", "--", "cat"}).status == 2);
  check_refusal(cluster.run_with_input("", "--stdin one", "cat", "<&-"), 1,
                "cannot read standard input: Bad file descriptor");
}
