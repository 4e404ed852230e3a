#include "process/launch_spec.hpp"

#include <algorithm>
#include <utility>

namespace stoker::process {

namespace {

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

Error wrong(std::string what) {
  return {Errc::invalid_request, std::move(what)};
}

/// Names only, never values: those may be secrets.
Status
validate_environment(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (name.empty())
      return wrong("an environment variable has no name");
    if (has_nul(name) || has_nul(value))
      return wrong("an environment variable contains a NUL character");
    if (name.find('=') != std::string::npos)
      return wrong("the environment variable '" + name
                   + "' has '=' in its name");
  }
  return {};
}

/// Files are in the program's own directory, and not below it.
bool is_file_name(const std::string& x) {
  return !x.empty() && x != "." && x != ".." && !has_nul(x)
         && x.find('/') == std::string::npos;
}

} // namespace

Status validate(const LaunchSpec& spec) {
  using std::chrono::milliseconds;
  if (spec.arguments.empty() || spec.arguments.front().empty())
    return wrong("there is no program to start: `arguments` is empty");
  if (std::any_of(spec.arguments.begin(), spec.arguments.end(), has_nul))
    return wrong("an argument contains a NUL character");
  if (auto status = validate_environment(spec.environment); !status)
    return status;
  if (spec.directory.empty())
    return wrong("`directory` is empty");
  if (has_nul(spec.directory) || has_nul(spec.program_directory)
      || has_nul(spec.working_directory))
    return wrong("a directory's name contains a NUL character");
  for (const auto& [name, text] : spec.files)
    if (!is_file_name(name))
      return wrong("'" + name + "' cannot name a file");
  if (spec.orphan_grace < milliseconds::zero()
      || spec.kill_grace < milliseconds::zero()
      || spec.stop_grace < milliseconds::zero())
    return wrong("`orphan_grace`, `kill_grace` and `stop_grace` must not be "
                 "negative");
  if (spec.log_bytes_max < 1 || spec.log_files < 1)
    return wrong("`log_bytes_max` and `log_files` must be positive");
  return {};
}

} // namespace stoker::process
