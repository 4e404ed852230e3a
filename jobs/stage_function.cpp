#include "jobs/stage_function.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "jobs/operators.hpp"
#include "jobs/task_context.hpp"

namespace stoker::jobs {

namespace {

/// The operators of a program, each behind those whose elements it takes.
class Assembly {
public:
  Status add(const ProgramNode& node) {
    auto make = operators().find(node.name);
    if (make == nullptr)
      return Error{Errc::not_found, "this executor does not know the function '"
                                        + readable(node.name)
                                        + "': it is not the driver's program"};
    std::vector<const Operator*> parents;
    for (auto parent : node.parents) {
      if (parent >= operators_.size())
        return invalid("a stage's program is damaged");
      parents.push_back(operators_[parent].get());
    }
    Operands operands{node, static_cast<std::uint32_t>(operators_.size()),
                      std::move(parents)};
    operators_.push_back(make(operands));
    if (operands.error())
      return *operands.error();
    return {};
  }

  [[nodiscard]] const Operator* last() const {
    return operators_.empty() ? nullptr : operators_.back().get();
  }

private:
  std::vector<std::unique_ptr<Operator>> operators_;
};

Status run(executor::FunctionTask& task) {
  auto program = from_bytes<StageProgram>(task.argument());
  auto inputs = from_bytes<TaskInputs>(task.text());
  if (!program || !inputs)
    return invalid("a stage's program is damaged");
  Assembly assembly;
  for (const auto& node : program->nodes)
    if (auto added = assembly.add(node); !added)
      return added;
  const auto* terminal = dynamic_cast<const Terminal*>(assembly.last());
  if (terminal == nullptr)
    return invalid("a stage's program is damaged");
  auto fraction = program->memory_fraction;
  if (!(fraction > 0 && fraction <= 1))
    return invalid("a stage's program is damaged");
  TaskContext context{task.id().stage.value, inputs->partition,
                      task.id().attempt, task.stop_token(), task.barrier()};
  TaskContextScope scope{context};
  TaskRun run{task, *inputs,
              static_cast<std::uint64_t>(
                  static_cast<double>(task.memory_bytes()) * fraction)};
  auto status = terminal->run(run, inputs->partition);
  return status ? run.go_on() : status;
}

} // namespace

Status run_stage(executor::FunctionTask& task) {
  try {
    return run(task);
  } catch (const std::exception& e) {
    return Error{Errc::failed, std::string{"the function threw: "} + e.what()};
  } catch (...) {
    return Error{Errc::failed, "the function threw what is no std::exception"};
  }
}

} // namespace stoker::jobs
