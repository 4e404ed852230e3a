#include "scheduling/tenants/admitted_apps.hpp"

#include <cassert>
#include <cstddef>

namespace stoker {

namespace {

/// Whether it keeps others waiting.
int count_of(const AdmittedApp& app) {
  return app.waits == Waits::for_room ? 1 : 0;
}

} // namespace

void AdmittedApps::add(AppKey key, const AdmittedApp& app) {
  auto is_new = apps_.emplace(key, app).second;
  assert(is_new);
  (void)is_new;
  waiting_ += count_of(app);
  idle_ += app.idle();
  refresh_growing(key, app);
}

AdmittedApp AdmittedApps::take(AppKey key) {
  auto i = apps_.find(key);
  assert(i != apps_.end());
  auto result = i->second;
  apps_.erase(i);
  waiting_ -= count_of(result);
  idle_ -= result.idle();
  growing_[result.member.user].erase({result.selection, key});
  return result;
}

const AdmittedApp* AdmittedApps::find(AppKey key) const {
  auto i = apps_.find(key);
  return i == apps_.end() ? nullptr : &i->second;
}

template <class Change>
void AdmittedApps::change(AppKey key, Change change) {
  auto& app = apps_.at(key);
  waiting_ -= count_of(app);
  idle_ -= app.idle();
  change(app);
  waiting_ += count_of(app);
  idle_ += app.idle();
  refresh_growing(key, app);
}

void AdmittedApps::set_request(AppKey key, Resources request) {
  change(key, [&](AdmittedApp& app) { app.request = request; });
}

void AdmittedApps::set_wanted(AppKey key, Resources wanted, Resources unit) {
  change(key, [&](AdmittedApp& app) {
    app.wanted = wanted;
    app.unit = unit;
  });
}

void AdmittedApps::set_running(AppKey key, Resources running) {
  change(key, [&](AdmittedApp& app) { app.running = running; });
}

void AdmittedApps::set_waiting(AppKey key, Waits waits) {
  change(key, [&](AdmittedApp& app) { app.waits = waits; });
}

void AdmittedApps::refresh_growing(AppKey key, const AdmittedApp& app) {
  std::pair entry{app.selection, key};
  auto& growing = growing_[app.member.user];
  if (app.grows())
    growing.insert(entry);
  else
    growing.erase(entry);
}

std::optional<std::string> AdmittedApps::invariant_violation() const {
  std::int64_t waiting = 0;
  Resources idle;
  std::size_t growing = 0;
  for (const auto& [key, app] : apps_) {
    waiting += count_of(app);
    idle += app.idle();
    if (!app.grows())
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
  if (idle != idle_)
    return "the sum of what is idle is wrong";
  return std::nullopt;
}

} // namespace stoker
