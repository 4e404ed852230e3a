// What the end of an executor means for its tasks: scheduling/jobs/executor_end.hpp.

#include "scheduling/jobs/executor_end.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("an executor that ends by itself is to blame, and one that is ended "
          "is not",
          "[jobs]") {
  struct Row {
    ExecutorState state;
    std::optional<int> status;
    std::optional<ExecutorLoss> loss;
  };
  constexpr auto by_itself = ExecutorLoss::by_itself;
  constexpr auto from_outside = ExecutorLoss::from_outside;
  for (const auto& x : {Row{ExecutorState::LAUNCHING, {}, {}},
                        Row{ExecutorState::RUNNING, {}, {}},
                        Row{ExecutorState::DECOMMISSIONED, {}, {}},
                        Row{ExecutorState::EXITED, 0, by_itself},
                        Row{ExecutorState::EXITED, 3, by_itself},
                        Row{ExecutorState::EXITED, 128 + 11, by_itself},
                        Row{ExecutorState::EXITED, 128 + 9, from_outside},
                        Row{ExecutorState::EXITED, 128 + 15, from_outside},
                        Row{ExecutorState::FAILED, 127, by_itself},
                        Row{ExecutorState::KILLED, 128 + 15, from_outside},
                        Row{ExecutorState::LOST, {}, from_outside}}) {
    INFO(to_string(x.state) << ' ' << x.status.value_or(-1));
    auto end = end_of({7, x.state, "why", x.status, {}, {}});
    CHECK(end.has_value() == x.loss.has_value());
    if (end && x.loss) {
      CHECK(end->exec_id == 7);
      CHECK(end->loss == *x.loss);
      CHECK(end->why == "why");
    }
  }
}
