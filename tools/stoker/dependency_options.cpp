#include "tools/stoker/dependency_options.hpp"

#include <utility>

#include "scheduling/common/dependency_id.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

Dependency dependency_of(const char* option, const std::string& id,
                         bool success) {
  // Slurm and others take a list.
  if (id.find_first_of(",:") != std::string::npos)
    throw CommandError{exit_usage, std::string{option} + ": '" + id
                                       + "' is not one id; repeat " + option
                                       + " for each"};
  auto result = dependency_on(id, success);
  if (!result)
    throw CommandError{exit_usage, std::string{option} + ": "
                                       + result.error().message
                                       + "; 'stoker status' shows them"};
  return *std::move(result);
}

} // namespace

void add_dependency_options(CLI::App& app, DependencyOptions& target) {
  app.add_option("--after", target.after,
                 "Start it when this application or driver has ended; may be "
                 "repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  app.add_option("--after-ok", target.after_ok,
                 "Start it when this one has ended well; if that ends "
                 "otherwise, it fails; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
}

std::vector<Dependency> dependencies_of(const DependencyOptions& options) {
  std::vector<Dependency> result;
  for (const auto& text : options.after)
    result.push_back(dependency_of("--after", text, false));
  for (const auto& text : options.after_ok)
    result.push_back(dependency_of("--after-ok", text, true));
  return result;
}

} // namespace stoker
