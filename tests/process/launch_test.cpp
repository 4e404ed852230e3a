#include <signal.h>
#include <sys/stat.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "process/output_reader.hpp"
#include "process/unique_fd.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

TEST_CASE("a program's exit status is reported") {
  TemporaryDirectory directory;
  for (auto status : {"0", "1", "42", "255"}) {
    auto ended = run(spec_for(directory.path("x"), {"exit", status}));
    CHECK(without_use(ended) == Ended{std::stoi(status), std::nullopt, false});
  }
}

TEST_CASE("the signal that ended a program is reported") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  REQUIRE(watch.monitor().start("program", spec));
  auto started = watch.await<Started>("program");
  REQUIRE(started);
  ::kill(started->pid, SIGUSR1);
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGUSR1, false});
}

TEST_CASE("a program finds its files in its directory, for its user alone") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.files = {{"a.json", "[1]\n"}, {"empty", ""}};
  spec.arguments = {"/bin/sh", "-c", "cat a.json empty; stat -c %a a.json"};
  // One of an earlier program gives way.
  std::filesystem::create_directory(directory.path("x"));
  std::ofstream{directory.path("x/a.json")} << "longer than the new one";
  std::filesystem::permissions(directory.path("x/a.json"),
                               std::filesystem::perms::owner_all);
  CHECK(without_use(run(spec)) == Ended{0, std::nullopt, false});
  CHECK(output_of(spec.directory) == "[1]\n600\n");
}

TEST_CASE("reports come in order, and exactly one is the last") {
  TemporaryDirectory directory;
  Watch watch;
  REQUIRE(watch.monitor().start("program",
                                spec_for(directory.path("x"), {"exit", "0"})));
  REQUIRE(watch.monitor().wait_until_empty(patience));
  auto reports = watch.reports("program");
  REQUIRE(reports.size() == 2);
  CHECK(std::holds_alternative<Started>(reports[0]));
  CHECK(std::holds_alternative<Ended>(reports[1]));
}

TEST_CASE("what cannot be executed is told with its name and reason") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {});
  int error = 0;
  SECTION("not on the PATH") {
    spec.arguments = {"no-such-program"};
    error = ENOENT;
  }
  SECTION("no such file") {
    spec.arguments = {"/no/such/program"};
    error = ENOENT;
  }
  SECTION("not executable") {
    spec.arguments = {directory.path("plain")};
    std::ofstream{directory.path("plain")} << "text";
    error = EACCES;
  }
  SECTION("not executable on the PATH") {
    spec.arguments = {"plain"};
    spec.environment = {{"PATH", directory.path() + ":/usr/bin"}};
    std::ofstream{directory.path("plain")} << "text";
    error = EACCES;
  }
  SECTION("a file that only a shell would run") {
    spec.arguments = {directory.path("plain")};
    std::ofstream{directory.path("plain")} << "exit 0";
    ::chmod(directory.path("plain").c_str(), 0700);
    error = ENOEXEC;
  }
  REQUIRE(watch.monitor().start("program", spec));
  auto failed = watch.await<CouldNotStart>("program");
  REQUIRE(failed);
  CHECK(failed->error == error);
  CHECK(failed->message
        == "cannot start '" + spec.arguments[0] + "': " + std::strerror(error));
  REQUIRE(watch.monitor().wait_until_empty(patience));
  CHECK(watch.reports("program").size() == 1);
}

TEST_CASE("a program is found on the PATH of its own environment") {
  TemporaryDirectory directory;
  std::filesystem::create_symlink(TEST_PROGRAM, directory.path("mine"));
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"mine", "exit", "3"};
  spec.environment = {{"PATH", "/nowhere:" + directory.path()}};
  CHECK(run(spec).exit_code == 3);
}

TEST_CASE("the environment is exactly the one given, and the marker") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"/usr/bin/env"};
  spec.environment = {{"A", "1"}, {"EMPTY", ""}, {"SPACES", " x  y "}};
  CHECK(run(spec).exit_code == 0);
  auto token = state_in(spec.directory).token;
  CHECK(output_of(spec.directory)
        == "STOKER_SUPERVISION=" + token + "\nA=1\nEMPTY=\nSPACES= x  y \n");
}

TEST_CASE("arguments are passed without a shell") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"printf", "%s|", "$HOME", "a b", "", "*", "\"'", "\xff"};
  CHECK(run(spec).exit_code == 0);
  CHECK(output_of(spec.directory) == "$HOME|a b||*|\"'|\xff|");
}

TEST_CASE("a program starts with nothing of the worker's") {
  TemporaryDirectory directory;
  // Things that a worker might have done.
  ::signal(SIGUSR2, SIG_IGN);
  sigset_t usr1;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  std::vector<UniqueFd> inheritable;
  for (int i = 0; i < 5; ++i)
    inheritable.emplace_back(::dup(2));
  auto ended = run(spec_for(directory.path("x"), {"describe"}));
  ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
  ::signal(SIGUSR2, SIG_DFL);
  CHECK(ended.exit_code == 0);
  CHECK(output_of(directory.path("x"))
        == "session leader: 1\ngroup leader: 1\nstdin at end: 1\n"
           "unusual signals: 0\ndescriptors: 0\n");
}

TEST_CASE("a program starts in its working directory") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"pwd"};
  SECTION("the one given") {
    spec.working_directory = directory.path();
    CHECK(run(spec).exit_code == 0);
    CHECK(output_of(spec.directory) == directory.path() + "\n");
    CHECK(errors_of(spec.directory).empty());
  }
  SECTION("its own if none is given") {
    CHECK(run(spec).exit_code == 0);
    CHECK(output_of(spec.directory) == spec.directory + "\n");
    CHECK(errors_of(spec.directory).empty());
  }
  SECTION("not at all if the one given is missing and required") {
    spec.working_directory = "/no/such/place";
    spec.working_directory_required = true;
    Watch watch;
    REQUIRE(watch.monitor().start("program", spec));
    auto failed = watch.await<CouldNotStart>("program");
    REQUIRE(failed);
    CHECK(failed->message
          == "cannot enter the working directory '/no/such/place': No such "
             "file or directory");
    CHECK(failed->in_directory);
    CHECK(output_of(spec.directory).empty());
  }
  SECTION("its own if the one given is missing, with a note") {
    spec.working_directory = "/no/such/place";
    CHECK(run(spec).exit_code == 0);
    CHECK(output_of(spec.directory) == spec.directory + "\n");
    CHECK(errors_of(spec.directory)
          == "stoker: cannot enter '/no/such/place': No such file or "
             "directory; starting in '"
                 + spec.directory + "'\n");
  }
}

TEST_CASE("the log is complete when the end is reported") {
  TemporaryDirectory directory;
  constexpr int lines = 200'000;
  auto spec
      = spec_for(directory.path("x"), {"count_lines", std::to_string(lines)});
  CHECK(run(spec).exit_code == 0);
  auto output = output_of(spec.directory);
  CHECK(output.size() == lines * 16);
  CHECK(output.ends_with("line 0000199999\n"));
}

TEST_CASE("a big log is rotated, and its end can be read by offset") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {"count_lines", "10000"});
  spec.log_bytes_max = 16 * 1000;
  spec.log_files = 3;
  CHECK(run(spec).exit_code == 0);
  auto result = read_log(spec.directory, LogStream::out, 0, 1'000'000);
  REQUIRE(result);
  const auto& part = *result;
  CHECK(part.end == 160'000);
  CHECK(part.offset == 160'000 - 3 * 16'000);
  CHECK(part.data.starts_with("line 0000007000\n"));
  CHECK(part.data.ends_with("line 0000009999\n"));
}

TEST_CASE("a program waits for whoever reads its output") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {"count_lines", "200000"});
  spec.log_bytes_max = 100'000;
  spec.log_files = 4;
  spec.kept_output = {0, 0};
  Watch watch;
  REQUIRE(watch.monitor().start("program", spec));
  std::int64_t offset = 0;
  std::string all;
  auto read_more = [&] {
    auto part = read_log(spec.directory, LogStream::out, offset, 50'000);
    if (!part || part->data.empty())
      return false;
    CHECK(part->offset == offset);
    offset += static_cast<std::int64_t>(part->data.size());
    all += part->data;
    watch.monitor().keep_output("program", {offset, 0});
    return true;
  };
  REQUIRE(eventually([&] {
    auto part = read_log(spec.directory, LogStream::out, 0, 0);
    return part && part->end == 400'000;
  }));
  // It has not ended: the logs hold no more.
  CHECK_FALSE(watch.reports("program").size() > 1);
  REQUIRE(eventually([&] {
    read_more();
    return offset == 3'200'000;
  }));
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(ended->exit_code == 0);
  CHECK(all.ends_with("line 0000199999\n"));
}

TEST_CASE("the directory is closed to others and so is what is in it") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("a/b/c"), {"sleep"});
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  auto mode = [&](const char* name) {
    struct stat status {};
    REQUIRE(::stat((spec.directory + name).c_str(), &status) == 0);
    return status.st_mode & 0777;
  };
  CHECK(mode("") == 0700);
  CHECK(mode("/control.sock") == 0600);
  CHECK(mode("/state.json") == 0600);
  CHECK(mode("/stdout") == 0600);
}

TEST_CASE("secrets are on no command line") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  spec.environment["PASSWORD"] = "secret-value";
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  auto state = state_in(spec.directory);
  for (auto pid : {state.guard.pid, state.supervisor.pid}) {
    std::ifstream in{"/proc/" + std::to_string(pid) + "/cmdline"};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    CHECK(text.find("a test") != std::string::npos);
    CHECK(text.find("secret-value") == std::string::npos);
  }
}

TEST_CASE("a program has as many descriptors as its launch says") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"/bin/sh", "-c", "ulimit -n"};
  spec.open_files_max = 321;
  CHECK(run(spec).exit_code == 0);
  CHECK(output_of(spec.directory) == "321\n");
}

TEST_CASE("a program that empties its own directory does not reach its logs") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.program_directory = directory.path("x/own");
  spec.files = {{"file", "text"}};
  spec.arguments
      = {"/bin/sh", "-c", "cat file; rm -rf ./* ../own; echo after; exit 0"};
  CHECK(run(spec).exit_code == 0);
  CHECK(output_of(spec.directory) == "textafter\n");
  CHECK_FALSE(std::filesystem::exists(spec.program_directory));
}

TEST_CASE("a supervisor counts what the logs took, whatever became of them") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments
      = {"/bin/sh", "-c", "echo before; echo error >&2; sleep 0.3; rm std*"};
  CHECK(run(spec).exit_code == 0);
  CHECK(state_in(spec.directory).written == WrittenOutput{7, 6});
}

TEST_CASE("an end is reported although nothing of the output was read") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"/bin/sh", "-c", "head -c 5000000 /dev/zero"};
  spec.kept_output = {0, 0};
  CHECK(run(spec).exit_code == 0);
  CHECK(output_of(spec.directory).size() == 5'000'000);
}

TEST_CASE("a program that is paused writes no more than its pipe takes") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"/bin/sh", "-c", "head -c 5000000 /dev/zero"};
  spec.kept_output = {0, 0, true};
  Watch watch;
  REQUIRE(watch.monitor().start("program", spec));
  REQUIRE(watch.await<Started>("program"));
  SECTION("until it may go on") {
    watch.monitor().keep_output("program", {0, 0, false});
    REQUIRE(watch.await<Ended>("program"));
    CHECK(output_of(spec.directory).size() == 5'000'000);
  }
  SECTION("or is told to end") {
    watch.monitor().end("program");
    REQUIRE(watch.await<Ended>("program"));
    CHECK(state_in(spec.directory).lost_output == 0);
  }
}
