#include "executor/task_program.hpp"

#include <algorithm>

namespace stoker::executor {

namespace {

bool contains_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

} // namespace

Status validate(const TaskProgram& program) {
  if (program.arguments.empty() || program.arguments.front().empty())
    return invalid("there is no program to start: `arguments` is empty");
  if (std::any_of(program.arguments.begin(), program.arguments.end(),
                  contains_nul))
    return invalid("an argument contains a NUL character");
  for (const auto& [name, value] : program.environment) {
    if (name.empty())
      return invalid("an environment variable has no name");
    if (name.find('=') != std::string::npos)
      return invalid("the environment variable '" + name
                     + "' has '=' in its name");
    if (contains_nul(name) || contains_nul(value))
      return invalid("an environment variable contains a NUL character");
  }
  if (contains_nul(program.working_directory))
    return invalid("the working directory's name contains a NUL character");
  if (program.kill_grace < std::chrono::milliseconds::zero())
    return invalid("`kill_grace` must not be negative");
  return {};
}

} // namespace stoker::executor
