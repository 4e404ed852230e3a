// What a run ends with: tools/stoker/run_output.hpp.

#include "tests/support/catch.hpp"
#include "tools/stoker/run_output.hpp"

using namespace stoker;

namespace {

/// The exit code and the reason.
std::string ends_with(const RunOutcome& x) {
  auto end = end_of_run(x);
  return std::to_string(end.exit_status) + ' ' + end.why;
}

RunOutcome outcome(EndReason reason, int exit_status, std::string error = {}) {
  RunOutcome result;
  result.reason = reason;
  result.exit_status = exit_status;
  result.error = std::move(error);
  return result;
}

} // namespace

TEST_CASE("a run ends with what its instances end with, and says why where "
          "they have not ended well") {
  CHECK(ends_with(outcome(EndReason::finished, 0)) == "0 ");
  CHECK(ends_with(outcome(EndReason::finished, 3, "1 of 2 instances failed"))
        == "3 1 of 2 instances failed");
  CHECK(ends_with(outcome(EndReason::removed, 7, "instance 0 failed"))
        == "7 instance 0 failed");
  CHECK(ends_with(outcome(EndReason::refused, 1, "it cannot fit"))
        == "1 it cannot fit");
}

TEST_CASE(
    "a run that was interrupted, or has lost its master, ends with a code "
    "of its own") {
  // The instances have none then.
  CHECK(ends_with(outcome(EndReason::stopped, 1)) == "130 it was interrupted");
  CHECK(ends_with(outcome(EndReason::master_lost, 1, "no master answers"))
        == "69 no master answers");
  auto left = outcome(EndReason::stopped, 1);
  left.is_left_running = true;
  CHECK(ends_with(left).find("130 it was interrupted, and no master could be "
                             "told")
        == 0);
}

TEST_CASE("a run that lacks output has not ended well") {
  auto x = outcome(EndReason::finished, 0);
  x.output_incomplete = true;
  CHECK(ends_with(x) == "1 some output is missing");
  // What failed says more.
  x = outcome(EndReason::finished, 3, "1 of 2 instances failed");
  x.output_incomplete = true;
  CHECK(ends_with(x) == "3 1 of 2 instances failed");
}
