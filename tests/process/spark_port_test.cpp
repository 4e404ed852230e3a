// A JVM of Spark's holds on to its supervisor.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "process/output_reader.hpp"
#include "process/spark_frame.hpp"
#include "tests/process/spark_client.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

/// The first line that a program has written, once it is complete.
std::string first_line(const std::string& directory) {
  std::string text;
  REQUIRE(eventually([&] {
    text = output_of(directory);
    return text.find('\n') != std::string::npos;
  }));
  return text.substr(0, text.find('\n'));
}

/// A program that goes on until it is told to end, and has told where it finds its
/// worker.
struct SparkPortFixture {
  TemporaryDirectory directory;
  LaunchSpec spec;
  Watch watch;
  std::string url;

  SparkPortFixture()
      : spec(spec_for(directory.path("x"), {"say", "{{WORKER_URL}}"})) {
    spec.spark_worker_port = true;
    REQUIRE(watch.monitor().start("program", spec));
    REQUIRE(watch.await<Started>("program"));
    url = first_line(spec.directory);
  }

  void end_program() {
    watch.monitor().end("program");
    REQUIRE(watch.await<Ended>("program"));
  }
};

} // namespace

TEST_CASE_METHOD(SparkPortFixture,
                 "a JVM finds a worker where it is told, as often as it asks") {
  SparkClient jvm{url};
  CHECK(jvm.is_answered(1));
  CHECK(jvm.is_answered(0xffff'ffff'ffff'ffff));
  SECTION("also if it asks slowly") {
    for (auto c : spark_question(7))
      jvm.send({c});
    CHECK(jvm.receive(answer_true(7).size()) == answer_true(7));
  }
  SECTION("also if it asks much at once") {
    std::string all, expected;
    for (std::uint64_t id = 0; id < 100; ++id) {
      all += spark_question(id);
      expected += answer_true(id);
    }
    jvm.send(all);
    CHECK(jvm.receive(expected.size()) == expected);
  }
  SECTION("what it only tells has no answer") {
    using namespace std::string_literals;
    jvm.send("\0\0\0\0\0\0\0\x10\x09\0\0\0\x03\0\0\0"s);
    CHECK(jvm.is_answered(8));
  }
}

TEST_CASE_METHOD(SparkPortFixture,
                 "a supervisor closes a connection when it is of another "
                 "user") {
  if (::geteuid() != 0) {
    stoker::test::skip("only root can be two users");
    return;
  }
  std::optional<SparkClient> other;
  {
    TemporaryDirectory own;
    stoker::test::Unprivileged other_user{own.path(".")};
    other.emplace(url);
  }
  CHECK(other->is_disconnected());
  CHECK(SparkClient{url}.is_answered(1));
}

TEST_CASE(
    "only whole arguments are replaced, and only where that was asked for") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec
      = spec_for(directory.path("x"), {"say", "{{WORKER_URL}}",
                                       "x{{WORKER_URL}}", "{{WORKER_URL}}"});
  SECTION("a JVM's") {
    spec.spark_worker_port = true;
    REQUIRE(watch.monitor().start("program", spec));
    REQUIRE(watch.await<Started>("program"));
    auto line = first_line(spec.directory);
    auto url = line.substr(0, line.find(' '));
    CHECK(SparkClient{url}.is_answered());
    CHECK(line == url + " x{{WORKER_URL}} " + url);
  }
  SECTION("another program's") {
    REQUIRE(watch.monitor().start("program", spec));
    REQUIRE(watch.await<Started>("program"));
    CHECK(first_line(spec.directory)
          == "{{WORKER_URL}} x{{WORKER_URL}} {{WORKER_URL}}");
  }
}

TEST_CASE_METHOD(SparkPortFixture,
                 "a JVM stays connected until its program has ended") {
  SparkClient jvm{url};
  REQUIRE(jvm.is_answered());
  SECTION("because it was told to end") {
    end_program();
  }
  SECTION("because it ended") {
    ::kill(state_in(spec.directory).program.pid, SIGKILL);
  }
  CHECK(jvm.is_disconnected());
}

TEST_CASE_METHOD(SparkPortFixture, "a JVM loses its worker when its supervisor "
                                   "is killed") {
  SparkClient jvm{url};
  REQUIRE(jvm.is_answered());
  ::kill(state_in(spec.directory).supervisor.pid, SIGKILL);
  CHECK(jvm.is_disconnected());
}

TEST_CASE_METHOD(SparkPortFixture, "who is no JVM is disconnected") {
  SparkClient jvm{url}, other{url};
  REQUIRE(jvm.is_answered());
  using namespace std::string_literals;
  SECTION("who sends something else") {
    other.send("GET / HTTP/1.1\r\n\r\n");
  }
  SECTION("who sends without end") {
    other.send(std::string(1'000'000, '\0'));
  }
  SECTION("who sends too long a frame") {
    other.send("\0\0\0\0\0\x01\0\x01\x03"s);
  }
  SECTION("who sends something else after a question") {
    REQUIRE(other.is_answered());
    other.send(std::string(9, '\xff'));
  }
  CHECK(other.is_disconnected());
  CHECK(jvm.is_answered());
}

TEST_CASE_METHOD(
    SparkPortFixture,
    "who comes and says nothing has to go when too many are there, "
    "and a JVM stays") {
  SparkClient jvm{url};
  REQUIRE(jvm.is_answered());
  SparkClient slow{url};
  slow.send(spark_question(1).substr(0, 20));
  std::vector<SparkClient> many;
  for (int i = 0; i < 30; ++i)
    many.emplace_back(url);
  CHECK(slow.is_disconnected());
  CHECK(many.front().is_disconnected());
  CHECK(SparkClient{url}.is_answered());
  CHECK(jvm.is_answered());
}

TEST_CASE_METHOD(SparkPortFixture, "only a handful of JVMs are let in") {
  std::vector<SparkClient> many;
  for (std::uint64_t i = 0; i < 16; ++i) {
    many.emplace_back(url);
    REQUIRE(many.back().is_answered(i));
  }
  SparkClient late{url};
  CHECK(late.is_disconnected());
  for (const auto& jvm : many)
    CHECK(jvm.is_answered(99));
  many.pop_back();
  // Until the supervisor has seen that one go.
  CHECK(eventually([&] { return SparkClient{url}.is_answered(); }));
}

TEST_CASE("a JVM stays connected while its worker is started again") {
  TemporaryDirectory directory;
  const auto own = directory.path("x");
  auto worker = ::fork();
  if (worker == 0) {
    ::execl(TEST_PROGRAM, TEST_PROGRAM, "spark_worker", own.c_str(), "30000",
            TEST_PROGRAM, "say", "{{WORKER_URL}}", nullptr);
    ::_exit(127);
  }
  auto kill_worker = [worker] {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  };
  auto is_running = eventually([&] {
    auto state = read_state(own);
    return state && state->phase == Phase::running;
  });
  if (!is_running)
    kill_worker();
  REQUIRE(is_running);
  SparkClient jvm{first_line(own)};
  CHECK(jvm.is_answered());
  auto program = state_in(own).program.pid;
  kill_worker();
  CHECK(jvm.is_answered());
  Watch after;
  REQUIRE(after.monitor().adopt("again", own));
  REQUIRE(after.await<Started>("again"));
  CHECK(jvm.is_answered());
  CHECK_FALSE(has_ended(program));
  after.monitor().end("again");
  REQUIRE(after.await<Ended>("again"));
  CHECK(jvm.is_disconnected());
}
