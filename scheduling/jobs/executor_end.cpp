#include "scheduling/jobs/executor_end.hpp"

#include "messages/states.hpp"
#include "scheduling/common/exit_status.hpp"

namespace stoker {

std::optional<ExecutorEnded> end_of(const ExecutorUpdated& x) {
  if (!is_finished(x.state))
    return std::nullopt;
  auto by_itself = (x.state == ExecutorState::EXITED
                    && !killed_from_outside(x.exit_status))
                   || x.state == ExecutorState::FAILED;
  return ExecutorEnded{
      x.id, by_itself ? ExecutorLoss::by_itself : ExecutorLoss::from_outside,
      x.message.value_or(to_string(x.state))};
}

} // namespace stoker
