#include "tools/benchmark/spark_wire_driver.hpp"

#include <stdexcept>

#include "tools/benchmark/spark_wire_orders.hpp"

namespace stoker::benchmark {

WireDriver::WireDriver(WireContext& context, int index, const WireAppSize& size)
    : WirePeer(context, index) {
  registration_ = told(context.writer.register_application(
      {"application " + std::to_string(index), address(),
       size.executors * size.cores, size.cores, size.memory_mb}));
}

void WireDriver::hear(std::string_view message, std::string_view content) {
  auto& tally = context().tally;
  if (message == "ExecutorAdded")
    return hear_of_executor();
  if (message == "ExecutorUpdated") {
    if (!says_running(content))
      throw std::runtime_error("a driver is told that an executor has ended");
    ++running_;
    tally.executors_running.add();
    running_at_ = tally.executors_running.last_at;
    return;
  }
  if (message == "RegisteredApplication") {
    tally.apps_registered.add();
    registered_at_ = tally.apps_registered.last_at;
    id_ = read_app_id(content);
    unregistration_ = told(context().writer.unregister_application(id_));
    return;
  }
  if (message == "MasterChanged") {
    tally.masters_changed.add();
    return tell(told(context().writer.master_change_acknowledged(id_)));
  }
  throw std::runtime_error("a driver is told " + std::string{message});
}

void WireDriver::hear_of_executor() {
  auto& added = context().tally.executors_added;
  added.add();
  if (executors_++ == 0)
    first_executor_at_ = added.last_at;
}

} // namespace stoker::benchmark
