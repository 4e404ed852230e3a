#include "messages/output_texts.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("bytes that rotation deleted are told from bytes that were taken",
          "[output]") {
  OutputPart part;
  part.position.offset = 30;
  part.end = 40;
  CHECK(no_longer_kept(part, 10) == 0);
  part.data = "0123456789";
  CHECK(no_longer_kept(part, 10) == 20);
  CHECK(no_longer_kept(part, 30) == 0);
  CHECK(no_longer_kept(part, -10) == 0);
  part.gone = 5;
  CHECK(no_longer_kept(part, 10) == 15);
  // Lost bytes without an offset do not count here.
  part.gone = 8;
  part.beside = 3;
  CHECK(no_longer_kept(part, 10) == 15);
  // A complete part tells of its end, too.
  part.complete = true;
  part.end = 43;
  CHECK(no_longer_kept(part, 10) == 18);
}

TEST_CASE("of what has never run, one line tells how it has ended") {
  ProgramEnd x;
  x.id = "driver-1";
  x.state = "FAILED";
  CHECK(never_started_text(x)
        == "driver-1 has ended as FAILED before it was given to a worker");
  x.message = "it was to start after the success of driver-0";
  CHECK(never_started_text(x)
        == "driver-1 has ended as FAILED before it was given to a worker: it "
           "was to start after the success of driver-0");
}

TEST_CASE("of what has never run, and nobody knows any more, one line tells "
          "that it has ended") {
  ProgramEnd x;
  x.id = "driver-1";
  CHECK(never_started_text(x)
        == "driver-1 has ended before it was given to a worker");
}

TEST_CASE("what is told between the lines of a program is one line itself") {
  CHECK(lost_with_worker_text("worker w\n1 is lost")
        == "worker w?1 is lost, and what was not read of this output with it");
  CHECK(not_placed_yet_text(DriverId{"driver\n1"})
        == "driver?1 has not been given to a worker yet");
  CHECK(started_again_text(DriverId{"driver\n2"})
        == "started again as driver?2");
  ProgramEnd x;
  x.id = "driver-1";
  x.state = "ERROR";
  x.message = "two\nlines";
  CHECK(never_started_text(x)
        == "driver-1 has ended as ERROR before it was given to a worker: "
           "two?lines");
}
