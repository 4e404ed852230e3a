// Traces that a bug was found with.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "simulation/simulation.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::simulation;

TEST_CASE("what was found once stays mended", "[simulation]") {
  std::vector<std::filesystem::path> traces;
  for (const auto& x :
       std::filesystem::directory_iterator{STOKER_TEST_DATA "/traces"})
    traces.push_back(x.path());
  std::sort(traces.begin(), traces.end());
  REQUIRE_FALSE(traces.empty());
  for (const auto& path : traces) {
    INFO(path.filename().string());
    std::ifstream in{path};
    std::ostringstream text;
    text << in.rdbuf();
    std::string problem;
    auto scenario = from_text(text.str(), problem);
    CHECK(problem == "");
    REQUIRE(scenario);
    CHECK(run(*scenario).violation.value_or("") == "");
  }
}
