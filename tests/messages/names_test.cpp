// Names of messages and numbers of enumerators outlive every release.

#include <set>
#include <string>
#include <vector>

#include "messages/all.hpp"
#include "messages/errc.hpp"
#include "messages/states.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

std::vector<std::string> names() {
  std::vector<std::string> result;
#define STOKER_NAME(Type) result.emplace_back(message_name<Type>);
  STOKER_MESSAGES(STOKER_NAME)
#undef STOKER_NAME
  return result;
}

/// Enumerators in the order of their numbers, which count up from 0.
template <class Enum>
std::string numbered() {
  std::string result;
  for (int i = 0; to_string(static_cast<Enum>(i)) != "?"; ++i)
    result += (i > 0 ? " " : "") + to_string(static_cast<Enum>(i));
  return result;
}

} // namespace

TEST_CASE("no two messages have the same name", "[messages]") {
  auto all = names();
  std::set<std::string> unique{all.begin(), all.end()};
  CHECK(unique.size() == all.size());
}

TEST_CASE("the numbers of states stay what they were", "[messages]") {
  // Append here when a state is added; any other change breaks old peers and
  // old logs.
  CHECK(numbered<RecoveryState>()
        == "STANDBY ALIVE RECOVERING COMPLETING_RECOVERY");
  CHECK(numbered<WorkerState>() == "ALIVE DEAD DECOMMISSIONED UNKNOWN");
  CHECK(numbered<ApplicationState>()
        == "WAITING RUNNING FINISHED FAILED KILLED UNKNOWN");
  CHECK(numbered<ExecutorState>()
        == "LAUNCHING RUNNING KILLED FAILED LOST EXITED DECOMMISSIONED");
  CHECK(numbered<DriverState>()
        == "SUBMITTED RUNNING FINISHED RELAUNCHING UNKNOWN KILLED FAILED "
           "ERROR");
  CHECK(numbered<JobStatus>() == "RUNNING SUCCEEDED FAILED KILLED UNKNOWN");
  CHECK(numbered<StageStatus>() == "PENDING ACTIVE COMPLETE FAILED SKIPPED");
}

TEST_CASE("an executor is written as its application and its number",
          "[messages]") {
  CHECK(to_string(ExecutorId{AppId{"app-20261121074600-0001"}, 7})
        == "app-20261121074600-0001/7");
}

TEST_CASE("a state is final when nothing follows from it", "[messages]") {
  CHECK(!is_finished(ExecutorState::LAUNCHING));
  CHECK(!is_finished(ExecutorState::RUNNING));
  CHECK(!is_finished(ExecutorState::DECOMMISSIONED));
  CHECK(is_finished(ExecutorState::KILLED));
  CHECK(is_finished(ExecutorState::FAILED));
  CHECK(is_finished(ExecutorState::LOST));
  CHECK(is_finished(ExecutorState::EXITED));
  CHECK(!is_finished(DriverState::SUBMITTED));
  CHECK(!is_finished(DriverState::RUNNING));
  CHECK(!is_finished(DriverState::RELAUNCHING));
  CHECK(is_finished(DriverState::ERROR));
  CHECK(!is_finished(ApplicationState::WAITING));
  CHECK(is_finished(ApplicationState::KILLED));
}
