#include "process/launch_spec.hpp"

#include <algorithm>

namespace stoker::process {

namespace {

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

/// Names only, never values: those may be secrets.
std::optional<std::string>
check_environment(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (name.empty())
      return "an environment variable has no name";
    if (has_nul(name) || has_nul(value))
      return "an environment variable contains a NUL character";
    if (name.find('=') != std::string::npos)
      return "the environment variable '" + name + "' has '=' in its name";
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> validate(const LaunchSpec& spec) {
  using std::chrono::milliseconds;
  if (spec.arguments.empty() || spec.arguments.front().empty())
    return "there is no program to start: `arguments` is empty";
  if (std::any_of(spec.arguments.begin(), spec.arguments.end(), has_nul))
    return "an argument contains a NUL character";
  if (auto error = check_environment(spec.environment))
    return error;
  if (spec.directory.empty())
    return "`directory` is empty";
  if (has_nul(spec.directory) || has_nul(spec.working_directory))
    return "a directory's name contains a NUL character";
  if (spec.orphan_grace < milliseconds::zero()
      || spec.kill_grace < milliseconds::zero())
    return "`orphan_grace` and `kill_grace` must not be negative";
  if (spec.log_bytes_max < 1 || spec.log_files < 1)
    return "`log_bytes_max` and `log_files` must be positive";
  return std::nullopt;
}

} // namespace stoker::process
