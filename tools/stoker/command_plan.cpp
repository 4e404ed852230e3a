// stoker plan: what would happen if.

#include <iostream>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "scheduling/common/entity_id.hpp"
#include "scheduling/common/units.hpp"
#include "scheduling/planning/plan.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/planning_text.hpp"
#include "tools/stoker/program_options.hpp"
#include "tools/stoker/resource_options.hpp"

namespace stoker {

namespace {

struct PlanOptions {
  AccessOptions access;
  std::vector<std::string> add_workers;
  std::vector<std::string> remove_workers;
  std::vector<std::string> apps;
  std::vector<std::string> end_apps;
  std::vector<std::string> drivers;
  std::vector<std::string> end_drivers;
  bool json = false;
};

/// `cores=8,memory=16g` as fields that are taken one by one.
class Fields {
public:
  Fields(std::string option, const std::string& text)
      : option_(std::move(option)), text_(text) {
    std::istringstream in{text};
    for (std::string field; std::getline(in, field, ',');) {
      auto equals = field.find('=');
      if (equals == 0 || equals == std::string::npos)
        fail("'" + field + "' is not NAME=VALUE");
      auto name = field.substr(0, equals);
      if (!fields_.emplace(name, field.substr(equals + 1)).second)
        fail(name + " is given more than once");
    }
  }

  std::optional<std::string> text(const std::string& name) {
    auto node = fields_.extract(name);
    return node.empty() ? std::nullopt : std::optional{node.mapped()};
  }

  std::optional<int> count(const std::string& name) {
    auto value = text(name);
    if (!value)
      return std::nullopt;
    auto result = parse_count(*value);
    if (!result || *result <= 0)
      fail(name + " is '" + *value + "', which is not a number above 0");
    return result;
  }

  std::optional<std::int64_t> memory(const std::string& name) {
    auto value = text(name);
    if (!value)
      return std::nullopt;
    auto result = parse_memory_mb(*value);
    if (!result || *result <= 0)
      fail(name + " is '" + *value + "', which is not a memory size like 4g");
    return result;
  }

  /// GPUs and the like: `gpu=2`, `resource.fpga=1`.
  std::map<std::string, int> resources() {
    constexpr std::string_view prefix = "resource.";
    std::vector<std::string> names;
    for (const auto& [name, value] : fields_)
      if (name == "gpu" || name.starts_with(prefix))
        names.push_back(name);
    std::map<std::string, int> result;
    for (const auto& name : names) {
      auto resource = name == "gpu" ? name : name.substr(prefix.size());
      if (!result.emplace(resource, *count(name)).second)
        fail(name + " is given more than once, as " + resource + ", too");
    }
    return result;
  }

  /// After all that is known has been taken.
  void finish() {
    if (!fields_.empty())
      fail("there is no '" + fields_.begin()->first + "' to set");
  }

private:
  [[noreturn]] void fail(const std::string& why) const {
    throw CommandError{exit_usage, option_ + " " + text_ + ": " + why};
  }

  std::string option_;
  std::string text_;
  std::map<std::string, std::string> fields_;
};

PlannedWorker worker_of(const std::string& text) {
  Fields fields{"--add-worker", text};
  PlannedWorker result;
  result.count = fields.count("count").value_or(1);
  result.cores = fields.count("cores").value_or(1);
  result.memory_mb = fields.memory("memory").value_or(1024);
  result.host = fields.text("host").value_or("");
  for (const auto& [name, amount] : fields.resources())
    for (int i = 0; i < amount; ++i)
      result.resources[name].push_back(std::to_string(i));
  fields.finish();
  return result;
}

ApplicationDescription app_of(const std::string& text,
                              const std::string& user) {
  Fields fields{"--app", text};
  ApplicationDescription result;
  result.name = fields.text("name").value_or("");
  result.user = fields.text("user").value_or(user);
  result.max_cores = fields.count("cores");
  result.cores_per_executor = fields.count("executor-cores");
  result.memory_per_executor_mb = fields.memory("executor-memory");
  result.memory_per_task_mb = fields.memory("task-memory");
  result.initial_executor_limit = fields.count("executors");
  result.gang = fields.count("gang");
  for (const auto& [name, amount] : fields.resources())
    result.resources_per_executor[name] = amount;
  fields.finish();
  return result;
}

DriverDescription driver_of(const std::string& text, const std::string& user) {
  Fields fields{"--driver", text};
  DriverDescription result;
  result.name = fields.text("name").value_or("");
  result.user = fields.text("user").value_or(user);
  result.cores = fields.count("cores").value_or(1);
  result.memory_mb = fields.memory("memory").value_or(1024);
  if (auto count = fields.count("executors")) {
    result.executors.emplace();
    result.executors->count = *count;
    result.executors->cores = fields.count("executor-cores").value_or(1);
    result.executors->memory_mb
        = fields.memory("executor-memory").value_or(1024);
  }
  for (const auto& [name, amount] : fields.resources())
    result.resources[name] = amount;
  fields.finish();
  return result;
}

RequestPlan request_of(const PlanOptions& options) {
  RequestPlan result;
  for (const auto& x : options.add_workers)
    result.add_workers.push_back(worker_of(x));
  auto user = user_name(options.access.network);
  for (const auto& x : options.apps)
    result.add_apps.push_back(app_of(x, user));
  for (const auto& x : options.remove_workers)
    result.remove_workers.push_back(WorkerId{x});
  for (const auto& x : options.drivers)
    result.add_drivers.push_back(driver_of(x, user));
  for (const auto& x : options.end_apps)
    result.end_apps.push_back(AppId{x});
  for (const auto& x : options.end_drivers)
    result.end_drivers.push_back(DriverId{x});
  require_ok(exit_usage, check_plan(result));
  return result;
}

void run_plan(const PlanOptions& options) {
  auto request = request_of(options);
  Access access{options.access};
  auto answer = access.ask<PlanResponse>(request);
  if (!answer.problem.empty())
    throw CommandError{exit_failure, answer.problem};
  if (options.json)
    print_json(std::cout, answer);
  else
    print_plan(std::cout, answer);
}

} // namespace

void add_plan_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<PlanOptions>();
  auto* command = app.add_subcommand(
      "plan",
      "Show what would happen, on a copy of the state; changes nothing");
  command->footer(
      "Workers have count, cores, memory and host; applications name, user, "
      "cores\n(in all), executors, gang, executor-cores, executor-memory and\n"
      "task-memory; drivers name, user, cores, memory, executors (that they do "
      "not\nstart without), executor-cores and executor-memory. All have gpu, "
      "and\nresource.NAME for what else workers offer.\n\n"
      "Examples:\n"
      "  stoker plan --add-worker cores=16,memory=64g,count=2\n"
      "  stoker plan --app cores=32,executor-cores=4,executor-memory=8g\n"
      "  stoker plan --remove-worker worker-20261121074600-h1-7078");
  auto add = [&](const std::string& name, std::vector<std::string>& target,
                 const std::string& type, const std::string& description) {
    command->add_option(name, target, description + "; may be repeated")
        ->type_name(type)
        ->allow_extra_args(false)
        ->configurable(false);
  };
  add("--end-app", options->end_apps, "APP", "An application ends");
  add("--end-driver", options->end_drivers, "DRIVER",
      "A driver ends, with its applications");
  add("--remove-worker", options->remove_workers, "WORKER", "A worker leaves");
  add("--add-worker", options->add_workers, "FIELD=VALUE,...",
      "A worker comes");
  add("--driver", options->drivers, "FIELD=VALUE,...", "A driver comes");
  add("--app", options->apps, "FIELD=VALUE,...", "An application comes");
  command->add_flag("--json", options->json, "One line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_plan(*options); });
}

} // namespace stoker
