#include "scheduling/tenants/admitted_apps.hpp"

#include <cassert>
#include <cstddef>

namespace stoker {

void AdmittedApps::add(AppKey key, const AdmittedApp& app) {
  auto is_new = apps_.emplace(key, app).second;
  assert(is_new);
  (void)is_new;
  waiting_ += app.waiting ? 1 : 0;
  refresh_growing(key, app);
}

AdmittedApp AdmittedApps::take(AppKey key) {
  auto i = apps_.find(key);
  assert(i != apps_.end());
  auto result = i->second;
  apps_.erase(i);
  waiting_ -= result.waiting ? 1 : 0;
  growing_[result.member.user].erase({result.selection, key});
  return result;
}

const AdmittedApp* AdmittedApps::find(AppKey key) const {
  auto i = apps_.find(key);
  return i == apps_.end() ? nullptr : &i->second;
}

void AdmittedApps::set_request(AppKey key, Resources request) {
  auto& app = apps_.at(key);
  app.request = request;
  refresh_growing(key, app);
}

void AdmittedApps::set_wanted(AppKey key, Resources wanted, Resources unit) {
  auto& app = apps_.at(key);
  app.wanted = wanted;
  app.unit = unit;
  refresh_growing(key, app);
}

void AdmittedApps::set_running(AppKey key, Resources running) {
  apps_.at(key).running = running;
}

void AdmittedApps::set_waiting(AppKey key, bool waiting) {
  auto& app = apps_.at(key);
  waiting_ += int{waiting} - int{app.waiting};
  app.waiting = waiting;
}

void AdmittedApps::refresh_growing(AppKey key, const AdmittedApp& app) {
  std::pair entry{app.selection, key};
  auto& growing = growing_[app.member.user];
  if (app.request == app.wanted)
    growing.erase(entry);
  else
    growing.insert(entry);
}

std::optional<std::string> AdmittedApps::invariant_violation() const {
  std::int64_t waiting = 0;
  std::size_t growing = 0;
  for (const auto& [key, app] : apps_) {
    waiting += app.waiting ? 1 : 0;
    if (app.request == app.wanted)
      continue;
    ++growing;
    if (!growing_[app.member.user].contains({app.selection, key}))
      return "application " + std::to_string(static_cast<std::uint32_t>(key))
             + " wants more, and is not among those that grow";
  }
  for (const auto& x : growing_)
    growing -= x.size();
  if (growing != 0)
    return "an application grows that wants no more";
  if (waiting != waiting_)
    return "the number of applications that wait for room is wrong";
  return std::nullopt;
}

} // namespace stoker
