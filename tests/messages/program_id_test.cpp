#include "messages/program_id.hpp"

#include "messages/output.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a program's id can be written and read", "[messages]") {
  for (const ProgramId& id : {ProgramId{ExecutorId{AppId{"app-1"}, 0}},
                              ProgramId{ExecutorId{AppId{"app-1"}, 12}},
                              ProgramId{DriverId{"driver-1"}}})
    CHECK(parse_program_id(to_string(id)) == id);
  CHECK(to_string(ProgramId{ExecutorId{AppId{"app-1"}, 12}}) == "app-1/12");
}

TEST_CASE("other texts are no program's id", "[messages]") {
  for (const auto* text :
       {"", "app-1/", "app-1/x", "app-1/1x", "app-1/ 1", "app-1/99999999999"})
    CHECK_FALSE(parse_program_id(text));
}

TEST_CASE("an output is of exactly one program", "[messages]") {
  ProgramId executor = ExecutorId{AppId{"app-1"}, 3};
  ProgramId driver = DriverId{"driver-1"};
  CHECK(program_of(about<OutputPosition>(executor)) == executor);
  CHECK(program_of(about<RequestOutputPlace>(driver)) == driver);
  OutputPosition x;
  CHECK_FALSE(program_of(x));
  x.executor = std::get<ExecutorId>(executor);
  x.driver = std::get<DriverId>(driver);
  CHECK_FALSE(program_of(x));
}
