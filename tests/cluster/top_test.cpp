// stoker top: one picture, or a live one on a terminal that it leaves as it was.

#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

constexpr const char* second_screen = "\033[?1049h";
constexpr const char* first_screen = "\033[?1049l";

/// `stoker top` on a terminal. What is written to the file `keys` is typed there. Leaves
/// files: `screen`, `pid`, `status`, and how the terminal was before and after.
struct TopOnTerminal {
  Cluster& cluster;
  std::ofstream keys;
  Process* process = nullptr;

  explicit TopOnTerminal(Cluster& x) : cluster(x) {
    cluster.environment["TERM"] = "xterm";
    REQUIRE(::mkfifo(cluster.path("keys").c_str(), 0600) == 0);
    std::ofstream{cluster.path("show")}
        << "trap : INT\nstty -g > before\n"
           "sh -c 'echo $$ > pid; exec " STOKER_PROGRAM
           " top'\necho $? > status\nstty -g > after\n";
    process = &cluster.start(
        {"sh", "-c",
         "exec script -qefc 'sh ./show' /dev/null < keys > screen"});
    keys.open(cluster.path("keys"));
  }

  ~TopOnTerminal() {
    std::filesystem::remove(cluster.path("keys"));
  }

  TopOnTerminal(const TopOnTerminal&) = delete;
  TopOnTerminal& operator=(const TopOnTerminal&) = delete;

  [[nodiscard]] std::string screen() const {
    return contents_of(cluster.path("screen"));
  }

  [[nodiscard]] bool shows(const std::string& text) const {
    return eventually([&] { return screen().find(text) != std::string::npos; });
  }

  void type(const std::string& text) {
    keys << text << std::flush;
  }

  void send(int signal) const {
    ::kill(std::stoi(contents_of(cluster.path("pid"))), signal);
  }

  /// The exit code that it has ended with; the terminal is as it was.
  [[nodiscard]] std::string ended() const {
    process->result();
    CHECK(screen().find(first_screen) != std::string::npos);
    CHECK_FALSE(contents_of(cluster.path("before")).empty());
    CHECK(contents_of(cluster.path("before"))
          == contents_of(cluster.path("after")));
    return contents_of(cluster.path("status"));
  }
};

} // namespace

TEST_CASE("one picture of a cluster is printed where there is no terminal") {
  Cluster cluster;
  cluster.start_local({"--workers", "2", "--cores", "2", "--memory", "1g"});
  auto& run
      = cluster.start_script(3, "echo x; until [ -e go ]; do sleep 0.05; done");
  REQUIRE(eventually([&] { return run.out() == "x\nx\nx\n"; }));
  for (const auto& words :
       {std::vector<std::string>{"top"}, {"top", "--once", "--sort", "name"}}) {
    auto result = cluster.run(words);
    CHECK(result.status == 0);
    CHECK(result.out.starts_with("ALIVE stoker://"));
    CHECK(result.out.find("Cores   [###############-----] 3 of 4")
          != std::string::npos);
    CHECK(result.out.find("0 of 3") != std::string::npos);
    CHECK(result.out.find('\033') == std::string::npos);
  }
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
  check_refusal(cluster.run({"top", "--sort", "age"}), 2, "--sort");
}

TEST_CASE("a live picture follows the cluster, and keys sort and end it") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  TopOnTerminal top{cluster};
  CHECK(top.shows(second_screen));
  CHECK(top.shows("0 of 2"));
  auto& run = cluster.start_script(1, "until [ -e go ]; do sleep 0.05; done");
  CHECK(top.shows("1 of 2"));
  top.type("m");
  CHECK(top.shows("by memory; c: by cores"));
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
  top.type("q");
  CHECK(top.ended() == "0\n");
}

TEST_CASE("a live picture that is interrupted leaves its terminal as it was") {
  Cluster cluster;
  cluster.start_local({"--cores", "2", "--memory", "1g"});
  TopOnTerminal top{cluster};
  REQUIRE(top.shows("0 of 2"));
  SECTION("by Ctrl-C") {
    top.type("\x03");
  }
  SECTION("by a signal") {
    top.send(SIGTERM);
  }
  CHECK(top.ended() == "130\n");
}
