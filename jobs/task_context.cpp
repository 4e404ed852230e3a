#include "jobs/task_context.hpp"

namespace stoker::jobs {

namespace {

thread_local const TaskContext* context_of_thread = nullptr;

} // namespace

Result<executor::BarrierPort::Messages>
TaskContext::wait(BarrierCall call, std::string message) const {
  if (port_ == nullptr)
    return invalid("this is no task of a barrier stage: only those of "
                   "Dataset::barrier() wait for each other");
  return executor::wait_at_barrier(*port_, id(), call, std::move(message));
}

Status TaskContext::barrier() const {
  auto all = wait(BarrierCall::BARRIER, {});
  return all ? Status{} : Status{std::move(all).error()};
}

Result<std::vector<std::string>>
TaskContext::all_gather(std::string message) const {
  auto all = wait(BarrierCall::ALL_GATHER, std::move(message));
  if (!all)
    return std::move(all).error();
  return **all;
}

Result<std::vector<TaskContext::TaskInfo>> TaskContext::task_infos() const {
  if (port_ == nullptr)
    return invalid("this is no task of a barrier stage: it knows no others");
  auto all = port_->addresses(id());
  if (!all)
    return std::move(all).error();
  std::vector<TaskInfo> result;
  for (const auto& host : **all)
    result.push_back({host});
  return result;
}

const TaskContext& task_context() noexcept {
  static const TaskContext none;
  return context_of_thread != nullptr ? *context_of_thread : none;
}

TaskContextScope::TaskContextScope(const TaskContext& context) noexcept
    : before_(context_of_thread) {
  context_of_thread = &context;
}

TaskContextScope::~TaskContextScope() {
  context_of_thread = before_;
}

} // namespace stoker::jobs
