// What a chart shows of an application of which not all is kept.

#include "web/page_charts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using stoker::test::contains;

namespace {

constexpr std::int64_t submitted_ms = 1'111'111;
constexpr std::int64_t first_end_ms = 2'222'222;

ExecutorInfo executor_of(ExecutorState state, std::int64_t launched_ms,
                         std::optional<std::int64_t> ended_ms) {
  ExecutorInfo result;
  result.state = state;
  result.launched_ms = launched_ms;
  result.ended_ms = ended_ms;
  return result;
}

ApplicationInfo application_of(int started,
                               std::vector<ExecutorInfo> executors) {
  ApplicationInfo result;
  result.id = AppId{"app-1"};
  result.submitted_ms = submitted_ms;
  result.executors_started = started;
  result.executors = std::move(executors);
  return result;
}

bool shows(const std::string& chart, std::int64_t at_ms) {
  return contains(chart, std::to_string(at_ms));
}

} // namespace

TEST_CASE("a chart of executors that are all kept begins with the application",
          "[web]") {
  auto chart = executors_chart(application_of(
      1, {executor_of(ExecutorState::EXITED, 1'500'000, first_end_ms)}));
  CHECK(shows(chart, submitted_ms));
  CHECK_FALSE(contains(chart, "not kept"));
}

TEST_CASE("a chart of executors begins when those had ended that are not kept",
          "[web]") {
  auto chart = executors_chart(application_of(
      30, {executor_of(ExecutorState::RUNNING, 1'600'000, std::nullopt),
           // It has waited to come back since before others were forgotten.
           executor_of(ExecutorState::LOST, 1'200'000, 1'300'000),
           executor_of(ExecutorState::EXITED, 1'500'000, first_end_ms),
           executor_of(ExecutorState::EXITED, 2'000'000, 3'333'333)}));
  CHECK(contains(chart, "The chart begins when 26 executors had ended"));
  CHECK(shows(chart, first_end_ms));
  CHECK(shows(chart, 3'333'333));
  for (auto before :
       {submitted_ms, std::int64_t{1'300'000}, std::int64_t{1'600'000}})
    CHECK_FALSE(shows(chart, before));
}

TEST_CASE("there is no chart of executors where none that ended is kept",
          "[web]") {
  auto chart = executors_chart(application_of(30, {}));
  CHECK(contains(chart, "Of 30 executors none that ended is kept"));
  CHECK_FALSE(contains(chart, "canvas"));
}
