// What a master does not take, since no worker could start it: else the workers would look
// broken.

#include "scheduling/master/programs.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::string_literals;

namespace {

std::string problem_of(const Command& x) {
  auto valid = validate(x, "driver");
  return valid ? "" : valid.error().message;
}

bool says(const Command& x, const std::string& part) {
  return problem_of(x).find(part) != std::string::npos;
}

Command command() {
  Command result;
  result.arguments = {"echo", "hello"};
  result.environment = {{"A", "1"}, {"with space", "="}, {"B", ""}};
  return result;
}

Command of_spark() {
  Command result;
  result.spark.emplace();
  result.spark->version = "3.5.1";
  result.spark->main_class = "Main";
  return result;
}

} // namespace

TEST_CASE("a command that the kernel can pass on is taken", "[drivers]") {
  CHECK(problem_of(command()).empty());
  CHECK(problem_of(of_spark()).empty());
}

TEST_CASE("a command that no worker could start is refused", "[drivers]") {
  Command nothing;
  CHECK(says(nothing, "has no command"));
  for (auto kind : {command(), of_spark()}) {
    auto x = kind;
    x.arguments = {"a", "b\0c"s};
    CHECK(says(x, "an argument of the command has a NUL character"));
    x = kind;
    x.working_directory = "/a\0b"s;
    CHECK(says(x, "a directory of the command has a NUL character"));
    x = kind;
    x.environment.emplace("", "1");
    CHECK(says(x, "environment has no name"));
    for (auto variable : {std::pair{"N\0"s, "1"s}, std::pair{"N"s, "\0"s}}) {
      x = kind;
      x.environment.insert(variable);
      CHECK(says(x, "environment has a NUL character"));
    }
    x = kind;
    x.environment.emplace("N=M", "secret");
    CHECK(says(x, "the variable 'N=M'"));
    CHECK_FALSE(says(x, "secret"));
  }
  CHECK_FALSE(validate_arguments({"a\0"s}));
}
