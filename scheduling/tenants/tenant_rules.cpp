#include "scheduling/tenants/tenant_rules.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>

#include "scheduling/tenants/tenants_config.hpp"

namespace stoker {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double part_of(double x, std::int64_t purchased) {
  if (x <= 0)
    return 0;
  return purchased > 0 ? x / static_cast<double>(purchased) : infinite;
}

std::int64_t equal_part(std::int64_t x, std::size_t parts) {
  auto n = static_cast<std::int64_t>(parts);
  return (x + n - 1) / n;
}

} // namespace

TenantRules::TenantRules(TenantsConfig config) : config_(std::move(config)) {
  assert(validate(config_));
}

bool TenantRules::is_listed(CompanyNumber company) const noexcept {
  return static_cast<std::size_t>(company) < config_.companies.size();
}

bool TenantRules::is_listed(UserNumber user) const noexcept {
  return static_cast<std::size_t>(user) < config_.users.size();
}

Resources TenantRules::purchased(CompanyNumber company) const {
  if (!is_listed(company))
    return {};
  const auto& x = config_.companies[static_cast<std::size_t>(company)];
  auto parts = config_.companies.size();
  return {x.cores.value_or(equal_part(total_.cores, parts)),
          x.memory_mb.value_or(equal_part(total_.memory_mb, parts))};
}

Resources TenantRules::cap(CompanyNumber company) const {
  Resources result{unlimited, unlimited};
  if (!is_listed(company))
    return result;
  if (config_.cap_at_purchased)
    result = purchased(company);
  const auto& x = config_.companies[static_cast<std::size_t>(company)];
  return {x.max_cores.value_or(result.cores),
          x.max_memory_mb.value_or(result.memory_mb)};
}

Resources TenantRules::limit(UserNumber user) const {
  if (!is_listed(user))
    return {unlimited, unlimited};
  const auto& x = config_.users[static_cast<std::size_t>(user)];
  return {x.max_cores.value_or(unlimited), x.max_memory_mb.value_or(unlimited)};
}

std::int64_t TenantRules::max_applications(UserNumber user) const {
  if (!is_listed(user))
    return unlimited;
  const auto& x = config_.users[static_cast<std::size_t>(user)];
  return x.max_applications.value_or(unlimited);
}

const Resources& TenantRules::occupied(const TenantFigures& x) const noexcept {
  return config_.accounting == Accounting::requested ? x.requested : x.running;
}

double TenantRules::share(double cores, double memory_mb,
                          CompanyNumber company) const {
  if (!is_listed(company))
    return infinite;
  auto all = purchased(company);
  return std::max(part_of(cores, all.cores), part_of(memory_mb, all.memory_mb));
}

double TenantRules::share(const Resources& x, CompanyNumber company) const {
  return share(static_cast<double>(x.cores), static_cast<double>(x.memory_mb),
               company);
}

} // namespace stoker
