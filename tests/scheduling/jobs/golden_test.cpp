// A job scheduler's decisions as traces that people can read: golden/*.txt. The
// commands are explained in job_trace.hpp.

#include <string>

#include "tests/scheduling/jobs/job_trace.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace stoker::test;

namespace {

void check(const std::string& name) {
  JobTrace trace;
  check_golden(STOKER_TEST_DATA "/golden/" + name + ".txt",
               [&](const std::string& line) { return trace.run(line); });
}

} // namespace

TEST_CASE("stages run one after the other, as what they read is there",
          "[jobs][golden]") {
  check("stages");
}

TEST_CASE("a task that fails is tried elsewhere, and not for ever",
          "[jobs][golden]") {
  check("failures");
}

TEST_CASE("the tasks of a lost executor run elsewhere, and its outputs stay",
          "[jobs][golden]") {
  check("lost_executors");
}

TEST_CASE("an executor that is to leave gets no task, and may be removed when "
          "none is left there",
          "[jobs][golden]") {
  check("leaving");
}

TEST_CASE("an output that is lost is made again, also several stages back",
          "[jobs][golden]") {
  check("lost_outputs");
}

TEST_CASE("what is said of attempts that do not count changes nothing",
          "[jobs][golden]") {
  check("stale");
}

TEST_CASE("tasks run at their places, and elsewhere after a while",
          "[jobs][golden]") {
  check("locality");
}

TEST_CASE("jobs share executors in order, or fairly", "[jobs][golden]") {
  check("sharing");
}

TEST_CASE("a second attempt is begun beside one that takes long",
          "[jobs][golden]") {
  check("speculation");
}

TEST_CASE("executors and hosts where much fails are left out for a while",
          "[jobs][golden]") {
  check("exclusion");
}

TEST_CASE("jobs are cancelled, and end when their time is over",
          "[jobs][golden]") {
  check("cancel");
}

TEST_CASE("a result counts once it is there", "[jobs][golden]") {
  check("results");
}

TEST_CASE("short tasks are sent ahead, and asked back from who is stuck",
          "[jobs][golden]") {
  check("sent_ahead");
}

TEST_CASE("what becomes of jobs is told, and what their tasks wait for",
          "[jobs][golden]") {
  check("history");
}

TEST_CASE(
    "a full disk is the fault of its place, unless there is no other, and gets "
    "time to become free",
    "[jobs][golden]") {
  check("full_disks");
}

TEST_CASE("the tasks of a barrier stage begin together, and are tried again "
          "together",
          "[jobs][golden]") {
  check("barrier");
}

TEST_CASE("executors that say nothing for long are lost, and are to be ended",
          "[jobs][golden]") {
  check("silence");
}
