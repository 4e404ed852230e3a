#include "simulation/shapes.hpp"

#include <string>

#include "simulation/dice.hpp"

namespace stoker::simulation {

namespace {

/// Executors in scenarios with tenants have at least so much.
constexpr int tenant_cores = 4;
constexpr std::int64_t tenant_memory_mb = 512;

int small_number(Dice& dice, int low, int high) {
  return static_cast<int>(dice.between(low, high));
}

/// More than any worker has.
constexpr std::int64_t unheard_of_mb = 100 * 1024;

/// What is drawn last, so that it changes nothing else.
void add_oddities(Dice& dice, const Scenario& scenario,
                  ApplicationDescription& x) {
  if (dice.chance(4))
    x.memory_per_executor_mb = unheard_of_mb;
  else if (scenario.tenants && dice.chance(20))
    x.memory_per_executor_mb.reset();
}

Dice dice_for(const Scenario& scenario, const char* purpose,
              std::int64_t shape) {
  return {scenario.seed, purpose + std::to_string(shape)};
}

/// What is forgotten early may be missed.
void remember_little(ClusterConfig& config, const Scenario& scenario) {
  Dice dice{scenario.seed, "history"};
  if (dice.chance(40))
    config.retained_executors = small_number(dice, 0, 2);
  if (dice.chance(40))
    config.retained_executors_of_ended = small_number(dice, 0, 1);
}

} // namespace

ClusterConfig cluster_shape(const Scenario& scenario) {
  Dice dice{scenario.seed, "cluster"};
  ClusterConfig result;
  result.master_url = "stoker://simulation";
  result.durable = true;
  result.seed = scenario.seed;
  result.spread_out = dice.chance(50);
  result.spread_out_drivers = dice.chance(50);
  result.worker_selection
      = dice.any_of(std::vector{WorkerSelectionPolicy::CORES_FREE_DESC,
                                WorkerSelectionPolicy::CORES_FREE_ASC,
                                WorkerSelectionPolicy::MEMORY_FREE_DESC,
                                WorkerSelectionPolicy::MEMORY_FREE_ASC});
  result.max_executor_retries = small_number(dice, 2, 6);
  if (dice.chance(30))
    result.default_cores = small_number(dice, 2, 6);
  if (dice.chance(30))
    result.recovery_timeout = std::chrono::seconds{1};
  if (dice.chance(20))
    result.retained_executors = 3;
  remember_little(result, scenario);
  result.outage_timeout = std::chrono::seconds{
      dice.any_of(std::vector<std::int64_t>{0, 20, 120})};
  if (scenario.tenants)
    result.tenants = tenants_shape(scenario, 0);
  Dice gangs{scenario.seed, "gangs"};
  result.gang_reserve_after = std::chrono::seconds{
      gangs.any_of(std::vector<std::int64_t>{0, 2, 10, 60})};
  result.reservation_timeout = std::chrono::seconds{
      gangs.any_of(std::vector<std::int64_t>{5, 30, 120})};
  return result;
}

TenantsConfig tenants_shape(const Scenario& scenario, std::int64_t shape) {
  auto dice = dice_for(scenario, "tenants", shape);
  TenantsConfig result;
  result.min_executor_cores = small_number(dice, 1, tenant_cores);
  result.min_executor_memory_mb = tenant_memory_mb;
  result.default_request_cores = tenant_cores;
  result.accounting
      = dice.chance(50) ? Accounting::requested : Accounting::running;
  result.company_order
      = dice.chance(50) ? CompanyOrder::dominant_share : CompanyOrder::usage;
  result.user_order
      = dice.chance(50) ? UserOrder::longest_waiting : UserOrder::occupancy;
  result.priorities = dice.chance(50);
  result.default_company = "c0";
  result.companies = {{"c0"}, {"c1"}, {"c2"}};
  for (int i = 0; i < 3; ++i) {
    UserConfig user{"u" + std::to_string(i), "c" + std::to_string(i)};
    if (dice.chance(30))
      user.max_applications = dice.between(1, 2);
    result.users.push_back(std::move(user));
  }
  // Caps that throttle, for applications and drivers together.
  result.admit_in_part = dice.chance(70);
  for (auto& company : result.companies)
    if (dice.chance(30))
      company.max_cores = dice.between(tenant_cores, 12);
  for (auto& user : result.users)
    if (dice.chance(20))
      user.max_cores = dice.between(tenant_cores, 8);
  return result;
}

WorkerConfig worker_shape(const Scenario& scenario, int number) {
  auto dice = dice_for(scenario, "worker", number);
  WorkerConfig result;
  result.cores = small_number(dice, tenant_cores, 8);
  result.memory_mb = 1024 * dice.between(4, 8);
  result.work_directory = "/work";
  result.decommission_timeout = std::chrono::seconds{30};
  result.log_bytes_max = 16 * 1024;
  if (scenario.gpus && (number == 0 || dice.chance(50)))
    result.resources["gpu"] = {"0", "1", "2"};
  return result;
}

namespace {

/// What all shapes of applications of a program begin with.
ApplicationDescription application_of_user(Dice& dice, const std::string& kind,
                                           std::int64_t shape) {
  ApplicationDescription result;
  result.name = kind + '-' + std::to_string(shape);
  result.user = "u" + std::to_string(dice.between(0, 3));
  result.priority = small_number(dice, 0, 2);
  result.command.arguments = {"program"};
  return result;
}

} // namespace

ApplicationDescription application_shape(const Scenario& scenario,
                                         std::int64_t shape) {
  auto dice = dice_for(scenario, "application", shape);
  auto result = application_of_user(dice, "application", shape);
  auto& words = result.command.arguments;
  if (dice.chance(40))
    words.emplace_back("flaky");
  if (dice.chance(3))
    words.emplace_back("missing");
  if (dice.chance(70))
    result.cores_per_executor = small_number(dice, 1, 2);
  result.memory_per_executor_mb = 128 * dice.between(1, 8);
  if (dice.chance(30))
    result.max_cores = small_number(dice, 2, 8);
  if (scenario.gpus && dice.chance(40))
    result.resources_per_executor["gpu"] = small_number(dice, 1, 2);
  if (dice.chance(15))
    result.preferred_hosts = {{"worker-0", 1}, {"worker-1", 2}};
  if (dice.chance(60)) {
    words.emplace_back(dice.chance(80) ? "short" : "slow");
    result.instances
        = Instances{small_number(dice, 1, 6), small_number(dice, 0, 4)};
    add_oddities(dice, scenario, result);
    return result;
  }
  if (dice.chance(30))
    words.emplace_back("short");
  if (dice.chance(60))
    result.initial_executor_limit = small_number(dice, 0, 4);
  if (dice.chance(10))
    result.time_limit_ms = 1000 * dice.between(5, 60);
  add_oddities(dice, scenario, result);
  return result;
}

ApplicationDescription read_shape(const Scenario& scenario,
                                  std::int64_t shape) {
  auto dice = dice_for(scenario, "read", shape);
  auto result = application_of_user(dice, "read", shape);
  auto& words = result.command.arguments;
  if (dice.chance(30))
    words.emplace_back("flaky");
  if (dice.chance(3))
    words.emplace_back("missing");
  words.emplace_back(dice.chance(80) ? "short" : "slow");
  result.cores_per_executor = small_number(dice, 1, 2);
  result.memory_per_executor_mb = 128 * dice.between(1, 8);
  result.max_cores = small_number(dice, 2, 6);
  result.instances
      = Instances{small_number(dice, 1, 8), small_number(dice, 0, 4)};
  if (dice.chance(15))
    result.time_limit_ms = 1000 * dice.between(5, 60);
  result.reads_output = true;
  return result;
}

ApplicationDescription limited_shape(const Scenario& scenario,
                                     std::int64_t shape, Duration limit) {
  auto dice = dice_for(scenario, "limited", shape);
  auto result = application_of_user(dice, "limited", shape);
  if (dice.chance(30))
    result.command.arguments.emplace_back("short");
  result.cores_per_executor = small_number(dice, 1, 2);
  result.memory_per_executor_mb = 128 * dice.between(1, 8);
  result.max_cores = small_number(dice, 2, 6);
  if (scenario.gpus && dice.chance(20))
    result.resources_per_executor["gpu"] = 1;
  result.time_limit_ms = limit.count();
  return result;
}

ApplicationDescription gang_shape(const Scenario& scenario,
                                  std::int64_t shape) {
  auto dice = dice_for(scenario, "gang", shape);
  auto result = application_of_user(dice, "gang", shape);
  auto& words = result.command.arguments;
  if (dice.chance(30))
    words.emplace_back("flaky");
  auto gang = small_number(dice, 2, 4);
  result.gang = gang;
  result.cores_per_executor = gang == 2 ? small_number(dice, 1, 2) : 1;
  result.memory_per_executor_mb = 128 * dice.between(1, 8);
  result.max_cores = tenant_cores;
  if (scenario.gpus && gang < 4 && dice.chance(20))
    result.resources_per_executor["gpu"] = 1;
  if (dice.chance(15))
    result.preferred_hosts = {{"worker-0", 1}, {"worker-1", 2}};
  if (dice.chance(30))
    result.time_limit_ms = 1000 * dice.between(5, 60);
  if (dice.chance(60)) {
    words.emplace_back(dice.chance(80) ? "short" : "slow");
    result.instances
        = Instances{gang + small_number(dice, 0, 3), small_number(dice, 0, 4)};
    return result;
  }
  if (dice.chance(30))
    words.emplace_back("short");
  if (dice.chance(50))
    result.initial_executor_limit = gang;
  return result;
}

ElasticShape elastic_shape(const Scenario& scenario, std::int64_t shape) {
  using std::chrono::seconds;
  auto dice = dice_for(scenario, "elastic", shape);
  ElasticShape result;
  auto& settings = result.settings;
  settings.enabled = true;
  settings.min_executors = dice.chance(50) ? 0 : small_number(dice, 1, 2);
  if (dice.chance(60))
    settings.max_executors = small_number(dice, 2, 8);
  if (dice.chance(40))
    settings.initial_executors = small_number(dice, 0, 4);
  settings.ratio = dice.chance(80) ? 1 : 0.5;
  if (dice.chance(30))
    settings.sustained_backlog_timeout = seconds{dice.between(1, 3)};
  settings.idle_timeout = seconds{dice.between(0, 12)};
  settings.executor_cores = small_number(dice, 1, 2);
  auto& description = result.description;
  description.name = "elastic-" + std::to_string(shape);
  description.user = "u" + std::to_string(dice.between(0, 3));
  description.priority = small_number(dice, 0, 2);
  description.command.arguments = {"program", "long"};
  if (dice.chance(20))
    description.command.arguments.emplace_back("flaky");
  description.cores_per_executor = settings.executor_cores;
  description.memory_per_executor_mb = 128 * dice.between(1, 4);
  description.initial_executor_limit = initial_target(settings);
  if (scenario.tenants || dice.chance(30))
    description.max_cores = small_number(dice, 4, 16);
  return result;
}

bool never_fits(const ApplicationDescription& x) {
  return x.memory_per_executor_mb.value_or(0) >= unheard_of_mb;
}

DriverDescription driver_shape(const Scenario& scenario, std::int64_t shape) {
  auto dice = dice_for(scenario, "driver", shape);
  DriverDescription result;
  result.name = "driver-" + std::to_string(shape);
  result.user = "u" + std::to_string(dice.between(0, 3));
  result.command.arguments = {"program"};
  auto& words = result.command.arguments;
  if (dice.chance(60))
    words.emplace_back("short");
  if (dice.chance(50))
    words.emplace_back("flaky");
  if (dice.chance(2))
    words.emplace_back("missing");
  result.cores = small_number(dice, 1, 2);
  result.memory_mb = 256 * dice.between(1, 4);
  result.supervise = dice.chance(50);
  if (scenario.gpus && dice.chance(20))
    result.resources["gpu"] = 1;
  if (dice.chance(20))
    result.executors = DriverExecutors{small_number(dice, 1, 2), 1, 256, {}};
  // With tenants they make a difference: they leave no room for executors.
  else if (dice.chance(30))
    result.executors = DriverExecutors{0, 1, 256, {}};
  return result;
}

} // namespace stoker::simulation
