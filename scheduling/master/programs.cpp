#include "scheduling/master/programs.hpp"

#include <algorithm>

#include "messages/printable.hpp"
#include "scheduling/common/command_files.hpp"

namespace stoker {

namespace {

ProgramKind kind_of_program(const Command& x) {
  if (!x.spark)
    return std::nullopt;
  auto release = spark_release_of(x.spark->version);
  return release ? *release : SparkRelease{};
}

void forget_secrets_in(Command& x) {
  x.environment.clear();
  if (x.spark)
    x.spark->java_options.clear();
}

template <class Description>
void forget_secrets_of(Description& x) {
  forget_secrets_in(x.command);
  // Once it is needed, it is a driver's own command.
  x.on_end.reset();
}

bool has_nul(const std::string& x) {
  return x.find('\0') != std::string::npos;
}

/// Whether the kernel can pass it on: on a worker it would look like a fault of the worker.
/// Names only, never values: those may be secrets.
Status validate_texts(const Command& x) {
  if (auto valid = validate_arguments(x.arguments); !valid)
    return valid;
  if (has_nul(x.working_directory) || has_nul(x.search_path))
    return invalid("a directory of the command has a NUL character");
  for (const auto& [name, value] : x.environment) {
    if (name.empty())
      return invalid("a variable of the command's environment has no name");
    if (has_nul(name) || has_nul(value))
      return invalid("a variable of the command's environment has a NUL "
                     "character");
    if (name.find('=') != std::string::npos)
      return invalid("the variable '" + printable(name)
                     + "' of the command's environment has '=' in its name");
  }
  return {};
}

} // namespace

Status validate_arguments(const std::vector<std::string>& x) {
  if (std::any_of(x.begin(), x.end(), has_nul))
    return invalid("an argument of the command has a NUL character");
  return {};
}

Status validate(const Command& x, const std::string& whose) {
  if (auto valid = validate_texts(x); !valid)
    return valid;
  if (!x.spark) {
    if (x.arguments.empty() || x.arguments.front().empty())
      return invalid("the " + whose + " has no command");
    return validate(x.files);
  }
  if (!x.files.empty())
    return invalid("the " + whose
                   + " is a program of Spark's, which has no files of a "
                     "command: name them to Spark (spark.files)");
  if (auto release = spark_release_of(x.spark->version);
      !release && !x.spark->version.empty())
    return release.error();
  if (x.spark->main_class.empty())
    return invalid("the " + whose + " has no class that Spark could run");
  return {};
}

Status validate(const SparkDriver& x) {
  if (x.host.empty() || x.port <= 0 || x.port > 65'535)
    return invalid("the driver needs a host, and a port from 1 to 65535");
  if (auto release = spark_release_of(x.wire_version); !release)
    return release.error();
  for (const auto& version : x.possible_versions)
    if (auto release = spark_release_of(version); !release)
      return release.error();
  return {};
}

void forget_secrets(ApplicationDescription& x) {
  forget_secrets_of(x);
}

void forget_secrets(DriverDescription& x) {
  forget_secrets_of(x);
}

Requirements requirements_of(const ApplicationDescription& x) {
  return {x.resources_per_executor, kind_of_program(x.command)};
}

Requirements requirements_of(const DriverDescription& x) {
  return {x.resources, kind_of_program(x.command)};
}

Requirements requirements_of_executors(const DriverDescription& x) {
  return {x.executors->resources, kind_of_program(x.command)};
}

Result<ProgramKinds>
program_kinds(const std::vector<std::string>& spark_versions, bool only_spark) {
  ProgramKinds result;
  if (!only_spark)
    result.insert(ProgramKind{});
  for (const auto& version : spark_versions) {
    auto release = spark_release_of(version);
    if (!release)
      return release.error();
    result.insert(*release);
  }
  if (result.empty())
    return invalid("a worker that runs nothing but Spark's programs needs a "
                   "version of Spark");
  return result;
}

} // namespace stoker
