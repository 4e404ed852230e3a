#include "scheduling/tenants/tenants_config.hpp"

#include <algorithm>
#include <set>

#include "scheduling/common/limits.hpp"
#include "scheduling/placement/executor_sizing.hpp"

namespace stoker {

namespace {

constexpr std::size_t companies_max = 10'000;
constexpr std::size_t users_max = 1'000'000;
constexpr std::size_t name_max = 256;
constexpr int hold_after_max = 1'000'000;

/// Far beyond any time for which usage is remembered.
constexpr Duration half_life_max = std::chrono::hours{24} * 36'500;

/// What is wrong, and with which key.
struct Found {
  std::string text;
  std::string key = {};
};
using PossibleProblem = std::optional<Found>;

PossibleProblem check_name(const std::string& kind, const std::string& name) {
  auto printable = [](char c) { return static_cast<unsigned char>(c) >= ' '; };
  if (name.empty() || name.size() > name_max
      || !std::all_of(name.begin(), name.end(), printable))
    return Found{"the name of a " + kind + " must be 1 to "
                 + std::to_string(name_max) + " printable bytes"};
  return std::nullopt;
}

PossibleProblem check_amount(const std::string& where, const char* key,
                             const std::optional<std::int64_t>& x,
                             std::int64_t max) {
  if (x && (*x <= 0 || *x > max))
    return Found{where + ": " + key + " must be 1 to " + std::to_string(max),
                 key};
  return std::nullopt;
}

/// The first problem of several.
template <class... Checks>
PossibleProblem first_of(Checks&&... checks) {
  PossibleProblem result;
  ((result = checks()) || ...);
  return result;
}

PossibleProblem check(const CompanyConfig& x) {
  auto where = "company " + x.name;
  auto amount = [&](const char* key, const auto& value, std::int64_t max) {
    return [=, &value] { return check_amount(where, key, value, max); };
  };
  return first_of([&] { return check_name("company", x.name); },
                  amount("cores", x.cores, cores_max),
                  amount("memory", x.memory_mb, memory_mb_max),
                  amount("max_cores", x.max_cores, cores_max),
                  amount("max_memory", x.max_memory_mb, memory_mb_max));
}

PossibleProblem check(const UserConfig& x) {
  auto where = "user " + x.name;
  auto amount = [&](const char* key, const auto& value, std::int64_t max) {
    return [=, &value] { return check_amount(where, key, value, max); };
  };
  return first_of([&] { return check_name("user", x.name); },
                  amount("max_cores", x.max_cores, cores_max),
                  amount("max_memory", x.max_memory_mb, memory_mb_max),
                  amount("max_applications", x.max_applications, cores_max));
}

PossibleProblem check_policy(const TenantsConfig& x) {
  if (x.min_executor_cores < 1 || x.min_executor_cores > executor_cores_max)
    return Found{"the smallest executor must have 1 to "
                     + std::to_string(executor_cores_max) + " cores",
                 "min_cores"};
  if (x.min_executor_memory_mb < 1 || x.min_executor_memory_mb > memory_mb_max)
    return Found{"the smallest executor must have at least 1 MB of memory",
                 "min_memory"};
  if (x.default_request_cores < 1 || x.default_request_cores > cores_max)
    return Found{"default_cores must be 1 to " + std::to_string(cores_max),
                 "default_cores"};
  if (x.usage_half_life <= Duration::zero()
      || x.usage_half_life > half_life_max)
    return Found{
        "usage_half_life must be greater than 0, and at most 36500 days",
        "usage_half_life"};
  if (x.hold_after < 0 || x.hold_after > hold_after_max)
    return Found{"hold_after must be 0 to " + std::to_string(hold_after_max),
                 "hold_after"};
  if (x.companies.empty() || x.companies.size() > companies_max)
    return Found{"there must be 1 to " + std::to_string(companies_max)
                 + " companies"};
  if (x.users.size() > users_max)
    return Found{"there must be at most " + std::to_string(users_max)
                 + " users"};
  return std::nullopt;
}

/// A cap below the purchase, of which a part can never be used.
PossibleProblem check_cap(const CompanyConfig& x, const char* key,
                          const std::optional<std::int64_t>& cap,
                          const char* purchased_key,
                          const std::optional<std::int64_t>& purchased,
                          const char* unit) {
  if (!cap || !purchased || *cap >= *purchased)
    return std::nullopt;
  return Found{"company " + x.name + ": " + key + " (" + std::to_string(*cap)
                   + unit + ") is less than " + purchased_key + " ("
                   + std::to_string(*purchased) + unit
                   + "), so it cannot use all that it purchased",
               key};
}

} // namespace

std::optional<TenantsProblem> find_problem(const TenantsConfig& config) {
  if (auto problem = check_policy(config))
    return TenantsProblem{problem->text, std::nullopt, std::nullopt,
                          problem->key};
  std::set<std::string> companies;
  for (std::size_t i = 0; i < config.companies.size(); ++i) {
    const auto& x = config.companies[i];
    auto problem = check(x);
    if (!problem && !companies.insert(x.name).second)
      problem = Found{"company " + x.name + " is there twice"};
    if (problem)
      return TenantsProblem{problem->text, i, std::nullopt, problem->key};
  }
  if (config.default_company && !companies.contains(*config.default_company))
    return TenantsProblem{"default_company is " + *config.default_company
                              + ", which is no company",
                          std::nullopt, std::nullopt, "default_company"};
  std::set<std::string> users;
  for (std::size_t i = 0; i < config.users.size(); ++i) {
    const auto& x = config.users[i];
    auto problem = check(x);
    if (!problem && !companies.contains(x.company))
      problem = Found{"user " + x.name + " is of company " + x.company
                          + ", which is no company",
                      "company"};
    if (!problem && !users.insert(x.name).second)
      problem = Found{"user " + x.name + " is there twice"};
    if (problem)
      return TenantsProblem{problem->text, std::nullopt, i, problem->key};
  }
  return std::nullopt;
}

std::vector<TenantsProblem> find_doubts(const TenantsConfig& config) {
  std::vector<TenantsProblem> result;
  for (std::size_t i = 0; i < config.companies.size(); ++i) {
    const auto& x = config.companies[i];
    for (const auto& doubt :
         {check_cap(x, "max_cores", x.max_cores, "cores", x.cores, ""),
          check_cap(x, "max_memory", x.max_memory_mb, "memory", x.memory_mb,
                    " MB")})
      if (doubt)
        result.push_back({doubt->text, i, std::nullopt, doubt->key});
  }
  return result;
}

Status validate(const TenantsConfig& config) {
  auto problem = find_problem(config);
  return problem ? invalid(problem->text) : Status{};
}

} // namespace stoker
