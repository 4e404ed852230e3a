// What a program gets, and what is told of its end.

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

TEST_CASE("a program's exit code is told") {
  Tasks tasks;
  auto end = tasks.run(shell("exit 3"));
  CHECK(end.outcome == TaskOutcome{Exited{3}});
  CHECK_FALSE(succeeded(end));
  CHECK(to_string(end.outcome) == "exited with 3");
  CHECK(succeeded(tasks.run(program({"true"}))));
}

TEST_CASE("the signal that ended a program is told") {
  Tasks tasks;
  auto end = tasks.run(shell("kill -SEGV $$"));
  CHECK(end.outcome == TaskOutcome{Signalled{SIGSEGV}});
  CHECK(to_string(end.outcome) == "ended by signal 11 (SEGV)");
}

TEST_CASE("what a program has used is told, with the children for which it "
          "waited") {
  Tasks tasks;
  auto idle = tasks.run(shell("sleep 0.3"));
  CHECK(idle.cpu_ms < 200);
  CHECK(idle.peak_memory_mb > 0);
  // A child of the shell's, with a buffer of 64 MB.
  auto busy = tasks.run(
      shell("dd if=/dev/zero of=/dev/null bs=64M count=8 status=none; true"));
  CHECK(succeeded(busy));
  CHECK(busy.cpu_ms > 20);
  CHECK(busy.peak_memory_mb > 60);
}

TEST_CASE("a program's output is collected, and the end of its errors told") {
  Tasks tasks;
  auto x = shell("echo out; echo first >&2; echo last >&2; exit 1");
  auto output = collect(x);
  auto end = tasks.run(std::move(x));
  CHECK(text_of(*output) == "out\n");
  CHECK(end.output_bytes == 4);
  CHECK(end.last_errors == "first\nlast\n");
}

TEST_CASE("of long errors the last whole lines are told") {
  Tasks tasks;
  auto x = shell("seq 100000 >&2");
  x.error_bytes_kept = 18;
  CHECK(tasks.run(std::move(x)).last_errors == "99999\n100000\n");
  auto one_line = test_program({"write", "2", "1000000"});
  one_line.error_bytes_kept = 1000;
  CHECK(tasks.run(std::move(one_line)).last_errors == std::string(1000, 'x'));
}

TEST_CASE("a program gets exactly the arguments and the environment it is to "
          "have, and its task's marker") {
  auto x = program({"env"});
  x.environment["GREETING"] = "good = day";
  auto text = output_of(std::move(x));
  auto marker = text.find("STOKER_TASK_TREE=");
  REQUIRE(marker != std::string::npos);
  text.erase(marker, text.find('\n', marker) - marker + 1);
  CHECK(text == "GREETING=good = day\nPATH=/usr/bin:/bin\n");
  CHECK(output_of(program({"printf", "%s|", "", "a b", "$HOME", "\xff\n"}))
        == "|a b|$HOME|\xff\n|");
}

TEST_CASE("the marker of another executor around this one is replaced") {
  auto x = shell("env | grep -c STOKER_TASK_TREE; echo $STOKER_TASK_TREE");
  x.environment["STOKER_TASK_TREE"] = "outer";
  auto text = output_of(std::move(x));
  CHECK(text.substr(0, 2) == "1\n");
  CHECK(text.find("outer") == std::string::npos);
}

TEST_CASE("a program inherits a session of its own, and nothing else") {
  CHECK(output_of(test_program({"describe"}))
        == "session leader: 1\ngroup leader: 1\n"
           "signal at the parent's death: 9\nunusual signals: 0\n"
           "descriptors: 0\n");
}

TEST_CASE("a program without input or output finds both empty") {
  Tasks tasks;
  CHECK(succeeded(tasks.run(shell("test -z \"$(cat)\" && echo thrown away"))));
}

TEST_CASE("a program that does not exist is told, with its name") {
  Tasks tasks;
  auto end = tasks.run(program({"no-such-program"}));
  CHECK(end.outcome == TaskOutcome{CouldNotStart{ENOENT, "no-such-program"}});
  CHECK(to_string(end.outcome)
        == "cannot start 'no-such-program': No such file or directory");
  end = tasks.run(program({"/no/such/program"}));
  CHECK(end.outcome == TaskOutcome{CouldNotStart{ENOENT, "/no/such/program"}});
  CHECK(tasks.started().empty());
}

TEST_CASE("a file that nobody may execute is told") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("tool", "#!/bin/sh\n");
  Tasks tasks;
  CHECK(tasks.run(program({file})).outcome
        == TaskOutcome{CouldNotStart{EACCES, file}});
  // Found on the PATH, it counts for more than that others are missing.
  auto x = program({"tool"});
  x.environment["PATH"] = directory.path("") + ":/nowhere";
  CHECK(tasks.run(std::move(x)).outcome
        == TaskOutcome{CouldNotStart{EACCES, "tool"}});
}

TEST_CASE("a file that is no program is told") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("tool", "words");
  REQUIRE(::chmod(file.c_str(), 0700) == 0);
  Tasks tasks;
  CHECK(tasks.run(program({file})).outcome
        == TaskOutcome{CouldNotStart{ENOEXEC, file}});
}

TEST_CASE("arguments that are too long are told") {
  Tasks tasks;
  CHECK(tasks.run(program({"true", std::string(1 << 20, 'x')})).outcome
        == TaskOutcome{CouldNotStart{E2BIG, "true"}});
}

TEST_CASE("a program is looked up on the PATH that it is to have") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("tool", "#!/bin/sh\necho found\n");
  REQUIRE(::chmod(file.c_str(), 0700) == 0);
  auto x = program({"tool"});
  x.environment["PATH"] = "/nowhere:" + directory.path("");
  CHECK(output_of(std::move(x)) == "found\n");
}

TEST_CASE("a program starts in its working directory") {
  stoker::test::TemporaryDirectory directory;
  auto x = program({"pwd"});
  x.working_directory = std::filesystem::canonical(directory.path("")).string();
  auto expected = x.working_directory + "\n";
  CHECK(output_of(std::move(x)) == expected);
}

TEST_CASE(
    "a program is not started without a working directory that it needs") {
  Tasks tasks;
  auto x = program({"pwd"});
  x.working_directory = "/no/such/directory";
  auto end = tasks.run(std::move(x));
  CHECK(end.outcome
        == TaskOutcome{CouldNotStart{ENOENT, "/no/such/directory", true}});
  CHECK(to_string(end.outcome)
        == "cannot enter '/no/such/directory': No such file or directory");
}

TEST_CASE("a program starts elsewhere without a directory that it can do "
          "without, and a note says so") {
  Tasks tasks;
  auto x = shell("echo here >&2");
  x.working_directory = "/no/such/directory";
  x.working_directory_required = false;
  auto end = tasks.run(std::move(x));
  CHECK(succeeded(end));
  CHECK(end.last_errors
        == "stoker: cannot enter '/no/such/directory': No such file or "
           "directory\nhere\n");
}

TEST_CASE("a program may have its own limit of descriptors") {
  auto x = shell("ulimit -S -n");
  x.open_files_max = 77;
  CHECK(output_of(std::move(x)) == "77\n");
}

TEST_CASE("programs that cannot be are refused") {
  Tasks tasks;
  auto refused = [&](TaskProgram x) {
    return tasks.slots().add({}, std::move(x)).code() == Errc::invalid_request;
  };
  CHECK(refused(program({})));
  CHECK(refused(program({""})));
  CHECK(refused(program({"echo", std::string("a\0b", 3)})));
  auto x = program({"true"});
  x.environment["A=B"] = "";
  CHECK(refused(std::move(x)));
  x = program({"true"});
  x.environment[""] = "";
  CHECK(refused(std::move(x)));
  x = program({"true"});
  x.kill_grace = -1ms;
  CHECK(refused(std::move(x)));
}
