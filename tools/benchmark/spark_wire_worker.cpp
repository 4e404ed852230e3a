#include "tools/benchmark/spark_wire_worker.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tools/benchmark/spark_wire_orders.hpp"

namespace stoker::benchmark {

namespace {

WireWorkerFacts facts_of(const WireContext& context,
                         const spark::RpcAddress& address) {
  WireWorkerFacts result;
  result.id = "worker-20260101000000-" + address.host + '-'
              + std::to_string(address.port);
  result.address = address;
  if (context.page_port != 0)
    result.page_url
        = "http://" + address.host + ':' + std::to_string(context.page_port);
  return result;
}

} // namespace

WireWorker::WireWorker(WireContext& context, int index, int cores,
                       int memory_mb)
    : WirePeer(context, index), facts_(facts_of(context, address())) {
  facts_.cores = cores;
  facts_.memory_mb = memory_mb;
  const auto& writer = context.writer;
  registration_ = told(writer.register_worker(facts_));
  heartbeat_ = told(writer.heartbeat(facts_));
  latest_state_ = told(writer.worker_latest_state(facts_.id));
  spark::append_rpc_message(header_,
                            {address(), writer.master(), "Master", {}});
}

void WireWorker::hear(std::string_view message, std::string_view content) {
  if (message == "LaunchExecutor")
    return launch(content);
  if (message == "KillExecutor")
    return kill(content);
  if (message == "RegisteredWorker") {
    context().tally.workers_registered.add();
    return tell(latest_state_);
  }
  if (message == "MasterChanged") {
    context().tally.masters_changed.add();
    return tell(told(context().writer.worker_scheduler_state_response(
        facts_.id, executors_)));
  }
  if (message != "ApplicationFinished")
    throw std::runtime_error("a worker is told " + std::string{message});
}

void WireWorker::launch(std::string_view order) {
  context().tally.executors_launched.add();
  auto executor = read_executor_order(order);
  tell(context().running.frame(
      context().next_request(WireQuestion::running_report), header_,
      executor.app_id, executor.id));
  executors_.push_back(std::move(executor));
}

void WireWorker::kill(std::string_view order) {
  context().tally.executors_killed.add();
  auto executor = read_executor_order(order);
  std::erase_if(executors_, [&](const auto& x) {
    return x.id == executor.id && x.app_id == executor.app_id;
  });
  tell(context().killed.frame(
      context().next_request(WireQuestion::killed_report), header_,
      executor.app_id, executor.id));
}

} // namespace stoker::benchmark
