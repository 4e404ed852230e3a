// What each of several instances runs: scheduling/common/instance_command.hpp.

#include "scheduling/common/instance_command.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using ArgumentWords = std::vector<std::string>;

} // namespace

TEST_CASE("an argument stands where the command has a place for it, or at its "
          "end",
          "[instances]") {
  CHECK(with_argument({"wc", "-l"}, "a b") == ArgumentWords{"wc", "-l", "a b"});
  CHECK(with_argument({"cp", "{}", "{}.old"}, "x")
        == ArgumentWords{"cp", "x", "x.old"});
  CHECK(with_argument({"./{}"}, "run") == ArgumentWords{"./run"});
  // What an argument has of braces is its own.
  CHECK(with_argument({"echo", "{}{}"}, "{}") == ArgumentWords{"echo", "{}{}"});
  CHECK(with_argument({"echo"}, "") == ArgumentWords{"echo", ""});
}

TEST_CASE("an executor is told its own argument, and no other", "[instances]") {
  ApplicationDescription x;
  x.command.arguments = {"echo", "<{}>"};
  x.instances = Instances{2, 0, true, {"a", "b"}};
  auto own = of_instance(x, 1);
  CHECK(own.command.arguments == ArgumentWords{"echo", "<b>"});
  CHECK(own.instances->arguments.empty());
  CHECK(own.instances->count == 2);
  CHECK(of_instance(x, std::nullopt) == x);
  x.instances->arguments.clear();
  CHECK(of_instance(x, 1) == x);
}

TEST_CASE("a worker is not told what comes before and after an application",
          "[scheduling]") {
  ApplicationDescription x;
  x.command.arguments = {"work"};
  auto told = x;
  x.after.emplace_back().app = AppId{"app-1"};
  x.on_end.emplace().command.environment["TOKEN"] = "secret";
  CHECK(of_instance(x, std::nullopt) == told);
}
