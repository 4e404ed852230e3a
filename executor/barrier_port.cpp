#include "executor/barrier_port.hpp"

#include <future>
#include <memory>
#include <utility>

namespace stoker::executor {

Result<BarrierPort::Messages> wait_at_barrier(BarrierPort& port,
                                              const TaskAttempt& task,
                                              BarrierCall call,
                                              std::string message) {
  using Answer = Result<BarrierPort::Messages>;
  // Shared: the thread that answers may still be in set_value when this one goes on.
  auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  port.call(task, call, std::move(message),
            [promise](Answer x) { promise->set_value(std::move(x)); });
  return answer.get();
}

} // namespace stoker::executor
