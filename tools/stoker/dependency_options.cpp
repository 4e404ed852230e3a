#include "tools/stoker/dependency_options.hpp"

#include <utility>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/entity_id.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

Dependency dependency_on(const std::string& text, bool success) {
  auto id = parse_entity_id(text);
  Dependency result;
  result.success = success;
  if (id && std::holds_alternative<AppId>(*id))
    result.app = std::get<AppId>(*id);
  else if (id && std::holds_alternative<DriverId>(*id))
    result.driver = std::get<DriverId>(*id);
  else
    throw CommandError{exit_usage,
                       std::string{success ? "--after-ok" : "--after"} + ": '"
                           + text
                           + "' is the id of no application or driver; 'stoker "
                             "status' shows them"};
  return result;
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
    result.push_back(dependency_on(text, false));
  for (const auto& text : options.after_ok)
    result.push_back(dependency_on(text, true));
  return result;
}

} // namespace stoker
