#include "scheduling/jobs/executor_end.hpp"

#include "messages/states.hpp"

namespace stoker {

namespace {

// As shells report an end by a signal.
constexpr int killed = 128 + 9;
constexpr int terminated = 128 + 15;

} // namespace

std::optional<ExecutorEnded> end_of(const ExecutorUpdated& x) {
  if (!is_finished(x.state))
    return std::nullopt;
  auto by_itself = (x.state == ExecutorState::EXITED && x.exit_status != killed
                    && x.exit_status != terminated)
                   || x.state == ExecutorState::FAILED;
  return ExecutorEnded{
      x.id, by_itself ? ExecutorLoss::by_itself : ExecutorLoss::from_outside,
      x.message.value_or(to_string(x.state))};
}

} // namespace stoker
