#include "jobs/task_context.hpp"

namespace stoker::jobs {

namespace {

thread_local const TaskContext* context_of_thread = nullptr;

} // namespace

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
