#include "scheduling/planning/holders.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduling/master/driver_admission.hpp"
#include "scheduling/tenants/company_of_user.hpp"

namespace stoker {

namespace {

bool is_held_by_others(Blocker x) {
  switch (x) {
  case Blocker::queue:
  case Blocker::cap:
  case Blocker::cores:
  case Blocker::memory:
  case Blocker::resource:
  case Blocker::fragments:
  case Blocker::gang:
    return true;
  case Blocker::none:
  case Blocker::no_workers:
  case Blocker::too_large:
  case Blocker::dependency:
    break;
  }
  return false;
}

/// Decides of whom something is missing.
class Owners {
public:
  Owners(const ExplanationResponse& x, const ClusterState& state) {
    const auto* tenants = state.admission.tenants();
    if (tenants == nullptr || x.blocker != Blocker::cap || !x.place)
      return;
    companies_ = CompanyOfUser{tenants->config()};
    company_ = x.place->company;
    if (x.place->at_limit)
      user_ = x.place->user;
  }

  [[nodiscard]] bool contain(const std::string& user) const {
    if (user_)
      return user == *user_;
    return !company_ || companies_.find(user) == company_;
  }

private:
  CompanyOfUser companies_;
  std::optional<std::string> company_;
  std::optional<std::string> user_;
};

Resources held_by(const Executor& x) {
  return {x.stored.cores, x.stored.memory_mb};
}

Resources room_kept_for(const ClusterState& state, ReservationOwner owner) {
  Resources result;
  if (const auto* kept = state.reservations.find(owner)) {
    auto count = std::int64_t{kept->count()};
    result
        = {count * kept->shape.size.cores, count * kept->shape.size.memory_mb};
  }
  return result;
}

/// What an application holds. Executors that were told to end hold it until they have.
Resources held_by(const ClusterState& state, const Application& app) {
  auto result = room_kept_for(state, app.key());
  for (const auto& [id, executor] : app.executors.present())
    result += held_by(executor);
  for (const auto* release : state.releases.of(app.stored.id))
    result += {release->stored.cores, release->stored.memory_mb};
  return result;
}

std::optional<DriverKey> driver_of_explained(const ExplanationResponse& x,
                                             const ClusterState& state) {
  auto key = state.applications.find(x.app_id);
  return key ? driver_of(state, state.applications.at(*key).stored.description)
             : std::nullopt;
}

} // namespace

void find_holders(ExplanationResponse& result, const ClusterState& state) {
  if (!is_held_by_others(result.blocker))
    return;
  Owners owners{result, state};
  auto& holders = result.holders;
  auto add = [&](Holder x, const Resources& held) {
    if (held == Resources{} || !owners.contain(x.user)
        || (x.app_id && x.app_id == result.app_id))
      return;
    x.held = held;
    holders.push_back(std::move(x));
  };
  for (const auto& [key, app] : state.applications.all()) {
    const auto& x = app.stored;
    add({x.id,
         {},
         x.description.name,
         x.description.user,
         {},
         to_ms(x.started.value_or(x.submitted))},
        held_by(state, app));
  }
  auto own_driver = driver_of_explained(result, state);
  for (const auto& [key, driver] : state.drivers.all()) {
    const auto& x = driver.stored;
    if (!driver.worker || key == own_driver)
      continue;
    Resources own{x.description.cores, x.description.memory_mb};
    add({{},
         x.id,
         x.description.name,
         x.description.user,
         {},
         to_ms(x.started.value_or(x.submitted))},
        own + room_kept_for(state, key));
  }
  auto by_memory = result.blocker == Blocker::memory;
  std::stable_sort(
      holders.begin(), holders.end(), [&](const Holder& a, const Holder& b) {
        auto size = [&](const Holder& x) {
          return by_memory ? std::pair{x.held.memory_mb, x.held.cores}
                           : std::pair{x.held.cores, x.held.memory_mb};
        };
        return std::tuple{size(b), a.since_ms}
               < std::tuple{size(a), b.since_ms};
      });
  result.holders_in_all = static_cast<std::int64_t>(holders.size());
  if (holders.size() > ExplanationResponse::holders_shown_max)
    holders.resize(ExplanationResponse::holders_shown_max);
}

} // namespace stoker
