#include "web/plan_form.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/limits.hpp"
#include "scheduling/common/units.hpp"
#include "scheduling/planning/plan.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

std::vector<pages::FormGroup> groups() {
  return {{"Workers come",
           {{"workers", "Workers", "", "1"},
            {"worker-cores", "Cores of a worker", "", "1"},
            {"worker-memory", "Memory of a worker", "", "1g"}}},
          {"An application comes",
           {{"executors", "Executors", "", "1"},
            {"executor-cores", "Cores of an executor", "", "1"},
            {"executor-memory", "Memory of an executor", "", "1g"},
            {"user", "Of the user", "", "ann"}}},
          {"A driver comes",
           {{"driver-cores", "Cores of the driver", "", "1"},
            {"driver-memory", "Memory of the driver", "", "1g"},
            {"driver-user", "Of the user", "", "ann"}}},
          {"Something goes",
           {{"remove-worker", "Worker", "", "worker-..."},
            {"end-app", "Application", "", "app-..."},
            {"end-driver", "Driver", "", "driver-..."}}}};
}

/// What people read before a field.
std::string label_of(const std::string& name) {
  for (const auto& group : groups())
    for (const auto& field : group.fields)
      if (field.name == name)
        return field.label;
  return name;
}

bool is_digits(const std::string& x) {
  return x.find_first_not_of("0123456789") == std::string::npos;
}

/// Takes the fields of a form one by one.
class Fields {
public:
  explicit Fields(const PlanForm& form) : form_(form) {
  }

  [[nodiscard]] bool has(const std::string& name) const {
    return form_.values.contains(name);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    auto found = form_.values.find(name);
    return found == form_.values.end() ? std::string{} : found->second;
  }

  int count(const std::string& name, int largest) {
    constexpr int otherwise = 1;
    if (!has(name))
      return otherwise;
    auto result = parse_count(text(name));
    // What no int can hold is a number, too.
    if (result ? *result > largest : is_digits(text(name))) {
      note(name, "is too large: at most " + std::to_string(largest));
      return otherwise;
    }
    if (!result || *result <= 0) {
      note(name, "is not a number above 0");
      return otherwise;
    }
    return *result;
  }

  std::int64_t memory(const std::string& name) {
    if (!has(name))
      return 1024;
    auto result = parse_memory_mb(text(name));
    if (!result || *result <= 0) {
      note(name, "is not a memory size like 4g");
      return 1024;
    }
    if (*result > memory_mb_max) {
      note(name, "is too large: at most " + std::to_string(memory_mb_max >> 20)
                     + "t");
      return 1024;
    }
    return *result;
  }

  [[nodiscard]] const std::string& problem() const {
    return problem_;
  }

private:
  void note(const std::string& name, const std::string& problem) {
    if (problem_.empty())
      problem_ = label_of(name) + ": '" + text(name) + "' " + problem;
  }

  const PlanForm& form_;
  std::string problem_;
};

} // namespace

std::vector<std::string_view> plan_field_names() {
  static const auto all = groups();
  std::vector<std::string_view> result;
  for (const auto& group : all)
    for (const auto& field : group.fields)
      result.emplace_back(field.name);
  return result;
}

PlanForm parse_plan_form(std::string_view target) {
  PlanForm result;
  for (const auto& group : groups())
    for (const auto& field : group.fields)
      if (auto value = query_value(target, field.name);
          value && !value->empty())
        result.values[field.name] = *std::move(value);
  return result;
}

pages::Form form_of(const PlanForm& x) {
  pages::Form result{"/plan", "What would happen?", groups()};
  for (auto& group : result.groups)
    for (auto& field : group.fields)
      if (auto found = x.values.find(field.name); found != x.values.end())
        field.value = found->second;
  return result;
}

Result<std::optional<RequestPlan>> plan_request(const PlanForm& x) {
  std::optional<RequestPlan> nothing;
  if (x.values.empty())
    return nothing;
  Fields fields{x};
  RequestPlan result;
  if (fields.has("workers") || fields.has("worker-cores")
      || fields.has("worker-memory")) {
    auto& worker = result.add_workers.emplace_back();
    worker.count = fields.count("workers", new_workers_max);
    worker.cores = fields.count("worker-cores", cores_max);
    worker.memory_mb = fields.memory("worker-memory");
  }
  if (fields.has("executors") || fields.has("executor-cores")
      || fields.has("executor-memory") || fields.has("user")) {
    auto& app = result.add_apps.emplace_back();
    app.name = "planned";
    app.user = fields.text("user");
    app.initial_executor_limit = fields.count("executors", instances_max);
    app.cores_per_executor = fields.count("executor-cores", cores_max);
    app.max_cores = static_cast<int>(std::min<std::int64_t>(
        std::int64_t{*app.initial_executor_limit} * *app.cores_per_executor,
        std::numeric_limits<int>::max()));
    app.memory_per_executor_mb = fields.memory("executor-memory");
  }
  if (fields.has("driver-cores") || fields.has("driver-memory")
      || fields.has("driver-user")) {
    auto& driver = result.add_drivers.emplace_back();
    driver.name = "planned";
    driver.user = fields.text("driver-user");
    driver.cores = fields.count("driver-cores", cores_max);
    driver.memory_mb = fields.memory("driver-memory");
  }
  if (fields.has("remove-worker"))
    result.remove_workers.push_back(WorkerId{fields.text("remove-worker")});
  if (fields.has("end-app"))
    result.end_apps.push_back(AppId{fields.text("end-app")});
  if (fields.has("end-driver"))
    result.end_drivers.push_back(DriverId{fields.text("end-driver")});
  if (!fields.problem().empty())
    return invalid(fields.problem());
  return std::optional{std::move(result)};
}

} // namespace stoker
