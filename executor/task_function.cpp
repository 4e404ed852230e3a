#include "executor/task_function.hpp"

#include <utility>

namespace stoker::executor {

Status TaskFunctions::add(std::string name, TaskFunction function) {
  using Plain = Status (*)(FunctionTask&);
  auto found = functions_.find(name);
  if (found == functions_.end()) {
    functions_.emplace(std::move(name), std::move(function));
    return {};
  }
  const auto* there = found->second.target<Plain>();
  const auto* other = function.target<Plain>();
  if (there != nullptr && other != nullptr && *there == *other)
    return {};
  return Error{Errc::in_use,
               "another function has the name '" + name + "' already"};
}

const TaskFunction* TaskFunctions::find(const std::string& name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

} // namespace stoker::executor
