// What programs get of the caller's environment: tools/stoker/exported_environment.hpp.

#include "tools/stoker/exported_environment.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Pairs = std::map<std::string, std::string>;

const Pairs callers{{"LANG", "C"},           {"PATH", "/bin"},
                    {"PWD", "/home/ann"},    {"SHLVL", "2"},
                    {"STOKER_TLS_KEY", "k"}, {"TOKEN", "secret"},
                    {"_", "/usr/bin/env"}};

Pairs exported(const std::vector<std::string>& wanted) {
  auto result = exported_environment(wanted, callers);
  REQUIRE(result);
  return *result;
}

std::string refused(const std::vector<std::string>& wanted) {
  auto result = exported_environment(wanted, callers);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("nothing of an environment is passed on unless somebody says so") {
  CHECK(exported({}).empty());
  CHECK(exported({"NONE"}).empty());
}

TEST_CASE("all of an environment is what makes sense elsewhere") {
  CHECK(exported({"ALL"}) == Pairs{{"LANG", "C"}, {"TOKEN", "secret"}});
}

TEST_CASE("variables are passed on in the order in which they are named") {
  CHECK(exported({"TOKEN"}) == Pairs{{"TOKEN", "secret"}});
  // Somebody may mean one that ALL leaves out.
  CHECK(exported({"ALL", "PATH", "LANG=de=at"})
        == Pairs{{"LANG", "de=at"}, {"PATH", "/bin"}, {"TOKEN", "secret"}});
  CHECK(exported({"ALL", "NONE", "X="}) == Pairs{{"X", ""}});
}

TEST_CASE("what is no variable is refused, without what may be a secret") {
  CHECK(refused({"NO_SUCH"}).find("'NO_SUCH' is neither") != std::string::npos);
  CHECK(refused({"=hunter2"}).find("hunter2") == std::string::npos);
  CHECK(refused({""}).starts_with("--export: it is empty"));
  auto list = refused({"ALL,TOKEN=hunter2"});
  CHECK(list.find("repeat --export") != std::string::npos);
  CHECK(list.find("hunter2") == std::string::npos);
}

TEST_CASE("an environment is read as the system has it") {
  const char* const variables[]
      = {"A=1", "B=x=y", "C=", "broken", "=z", nullptr};
  CHECK(variables_of(variables) == Pairs{{"A", "1"}, {"B", "x=y"}, {"C", ""}});
  CHECK(variables_of(nullptr).empty());
}
