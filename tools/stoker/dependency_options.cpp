#include "tools/stoker/dependency_options.hpp"

#include <utility>

#include "scheduling/common/dependency_id.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

/// The error says nothing of whose value it is.
Result<Dependency> dependency_of(const std::string& option,
                                 const std::string& id, bool success) {
  // Slurm and others take a list.
  if (id.find_first_of(",:") != std::string::npos)
    return invalid("'" + id + "' is not one id; repeat " + option
                   + " for each");
  auto result = dependency_on(id, success);
  if (!result)
    return invalid(result.error().message + "; 'stoker status' shows them");
  return result;
}

void add_ids(CLI::App& app, const std::string& option,
             std::vector<std::string>& target, const std::string& description) {
  app.add_option(option, target, description)
      ->type_name("ID")
      ->allow_extra_args(false)
      ->check(parsed_by([option](const std::string& id) {
        return dependency_of(option, id, false);
      }));
}

} // namespace

void add_dependency_options(CLI::App& app, DependencyOptions& target) {
  add_ids(app, "--after", target.after,
          "Start it when this application or driver has ended; may be "
          "repeated");
  add_ids(app, "--after-ok", target.after_ok,
          "Start it when this one has ended well; if that ends otherwise, it "
          "fails; may be repeated");
}

std::vector<Dependency> dependencies_of(const DependencyOptions& options) {
  std::vector<Dependency> result;
  auto add = [&](const char* option, const std::vector<std::string>& ids,
                 bool success) {
    for (const auto& id : ids) {
      auto dependency = dependency_of(option, id, success);
      require_ok(exit_usage, dependency);
      result.push_back(*std::move(dependency));
    }
  };
  add("--after", options.after, false);
  add("--after-ok", options.after_ok, true);
  return result;
}

} // namespace stoker
