// The master's decisions as traces that people can read: golden/*.txt. The
// commands are explained in trace.hpp.

#include <string>

#include "tests/scheduling/master/trace.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace stoker::test;

namespace {

void check(const std::string& name) {
  Trace trace;
  check_golden(STOKER_TEST_DATA "/golden/" + name + ".txt",
               [&](const std::string& line) { return trace.run(line); });
}

} // namespace

TEST_CASE("the worked example comes out as Spark computes it",
          "[scheduling][golden]") {
  check("worked_example");
}

TEST_CASE("whole executors are given, not fractions that start none",
          "[scheduling][golden]") {
  check("whole_executors");
}

TEST_CASE("programs of Spark's run where a worker has that Spark",
          "[scheduling][golden][spark]") {
  check("spark");
}

TEST_CASE("a program of Spark's waits until its version is known",
          "[scheduling][golden][spark]") {
  check("spark_version");
}

TEST_CASE(
    "a program of Spark's starts before its version is known when workers "
    "leave no choice",
    "[scheduling][golden][spark]") {
  check("spark_version_settled");
}

TEST_CASE("a program of Spark's waits for its version when a worker could "
          "choose",
          "[scheduling][golden][spark]") {
  check("spark_version_choice");
}

TEST_CASE("a worker keeps what it runs when it comes back",
          "[scheduling][golden]") {
  check("registration");
}

TEST_CASE("a silent worker is lost, shown for a while, and asked back",
          "[scheduling][golden]") {
  check("heartbeats");
}

TEST_CASE("a driver whose worker was never told to start it starts, and once",
          "[scheduling][golden]") {
  check("driver_not_taken");
}

TEST_CASE("an application ends after too many failures in a row",
          "[scheduling][golden]") {
  check("executors");
}

TEST_CASE("instances run to their end, each under its index",
          "[scheduling][golden]") {
  check("instances");
}

TEST_CASE("an instance that ends well after it was lost is done",
          "[scheduling][golden]") {
  check("late_ends");
}

TEST_CASE("an instance that comes back and was not started again goes on",
          "[scheduling][golden]") {
  check("taken_back");
}

TEST_CASE("what is remembered of executors that ended is bounded",
          "[scheduling][golden]") {
  check("history");
}

TEST_CASE("most workers that fall silent at once are waited for longer",
          "[scheduling][golden]") {
  check("outages");
}

TEST_CASE("a worker that cannot start programs rests", "[scheduling][golden]") {
  check("failed_starts");
}

TEST_CASE(
    "a supervised driver that a worker could not start is started elsewhere",
    "[scheduling][golden]") {
  check("driver_starts");
}

TEST_CASE("a driver runs where it fits, and again where it is supervised",
          "[scheduling][golden]") {
  check("drivers");
}

TEST_CASE("a decommissioned worker finishes and takes nothing new",
          "[scheduling][golden]") {
  check("decommission");
}

TEST_CASE("an application may come back until its time has run out",
          "[scheduling][golden]") {
  check("applications");
}

TEST_CASE("a master in standby answers nothing but that it is one",
          "[scheduling][golden]") {
  check("standby");
}

TEST_CASE("what can never fit is refused when that is wished",
          "[scheduling][golden]") {
  check("never_fits");
}

TEST_CASE("a GPU is given to one executor at a time", "[scheduling][golden]") {
  check("gpus");
}

TEST_CASE("executors go to the hosts that they are wanted on",
          "[scheduling][golden]") {
  check("locality");
}

// SPARK-27750
TEST_CASE("drivers that start with their executors do not starve them",
          "[scheduling][golden]") {
  check("driver_units");
}

TEST_CASE("drivers that say no executors leave room for one",
          "[scheduling][golden]") {
  check("driver_room");
}

TEST_CASE("workers are taken in the order of the policy",
          "[scheduling][golden]") {
  check("worker_selection");
}

TEST_CASE("drivers are consolidated and limited as Spark 4 does",
          "[scheduling][golden]") {
  check("driver_limits");
}

TEST_CASE("an application ends with its time limit", "[scheduling][golden]") {
  check("time_limit");
}

TEST_CASE("applications are admitted company by company, user by user",
          "[scheduling][golden]") {
  check("tenants");
}

TEST_CASE("executors are sized for those who only say how many cores they need",
          "[scheduling][golden]") {
  check("sizing");
}

TEST_CASE("every reason to wait is explained with its figures",
          "[scheduling][golden]") {
  check("explain");
}

TEST_CASE("a new leader goes on from what is stored",
          "[scheduling][golden][recovery]") {
  check("recovery");
}

TEST_CASE("an application that no worker can hold keeps nobody waiting",
          "[scheduling][golden]") {
  check("never_held");
}

TEST_CASE("executors that no worker can hold are sized again",
          "[scheduling][golden]") {
  check("sized_again");
}

TEST_CASE("a driver is told how what failed while it was away ended",
          "[scheduling][golden][recovery]") {
  check("failed_while_away");
}

TEST_CASE("a driver that never heard of its application does not begin again",
          "[scheduling][golden]") {
  check("removed_unheard");
}

TEST_CASE("a master that was stalled gives all the time that they have",
          "[scheduling][golden]") {
  check("stalled");
}

TEST_CASE("an application that sent heartbeats is missed when none come",
          "[scheduling][golden]") {
  check("application_heartbeats");
}

TEST_CASE("what an application asks for is what it is given or waits for, and "
          "what it gives back is another's at once",
          "[scheduling][golden]") {
  check("target");
}

TEST_CASE("a gang starts whole or not at all, and holds nothing while it waits",
          "[scheduling][golden]") {
  check("gangs");
}

TEST_CASE("a gang that has waited for long has room kept for it, for a while",
          "[scheduling][golden]") {
  check("gang_reservations");
}

TEST_CASE("an application that keeps going gives up what has failed, and "
          "nothing else",
          "[scheduling][golden]") {
  check("keep_going");
}

TEST_CASE("who waits for others stands in no queue until they have ended, and "
          "fails if it needs a success that never comes",
          "[scheduling][golden]") {
  check("dependencies");
}

TEST_CASE("with tenants, who waits for others joins its queue when they have "
          "ended",
          "[scheduling][golden]") {
  check("dependencies_tenants");
}

TEST_CASE("what waits for others waits on at a new leader",
          "[scheduling][golden]") {
  check("dependencies_restart");
}

TEST_CASE("what follows an end is a driver that is told of it, however it "
          "ended",
          "[scheduling][golden]") {
  check("end_hooks");
}

TEST_CASE(
    "what follows an application's end waits for the last of its instances",
    "[scheduling][golden]") {
  check("ends_with_the_last");
}

TEST_CASE("drivers wait in the queues of their users when there are tenants",
          "[scheduling][golden]") {
  check("driver_tenants");
}

TEST_CASE(
    "an application is admitted in part when a cap leaves no room for all",
    "[scheduling][golden]") {
  check("throttled");
}

TEST_CASE("a queued application gets a new size when rules or its load change",
          "[scheduling][golden]") {
  check("resized");
}
