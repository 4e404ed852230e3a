#include "scheduling/master/application_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "scheduling/master/programs.hpp"

namespace stoker {

namespace {

/// Whether the driver of a program of Spark's told which versions it may have, and no more.
bool lacks_version(const ApplicationDescription& x) {
  return x.command.spark && x.command.spark->version.empty() && x.spark_driver
         && !x.spark_driver->possible_versions.empty();
}

std::tuple<std::string, int, std::string>
address_and_user(const ApplicationDescription& x) {
  return {x.spark_driver->host, x.spark_driver->port, x.user};
}

} // namespace

Application& ApplicationTable::insert(AppKey key,
                                      StoredApplication&& application) {
  application.number = static_cast<std::uint32_t>(key);
  auto& app = apps_[key];
  app.stored = std::move(application);
  app.needs = requirements_of(app.stored.description);
  by_id_[app.stored.id] = key;
  by_driver_[app.stored.driver] = key;
  if (app.stored.description.spark_driver) {
    // They may be restored in any order.
    auto& last = by_spark_driver_
                     .try_emplace(address_and_user(app.stored.description), key)
                     .first->second;
    last = std::max(last, key);
  }
  if (const auto& driver = app.stored.description.driver_id)
    of_driver_[*driver].insert(key);
  if (lacks_version(app.stored.description))
    without_version_.insert(key);
  return app;
}

void ApplicationTable::set_spark_version(AppKey key,
                                         const std::string& version) {
  auto& app = edit(key);
  app.stored.description.command.spark->version = version;
  app.needs = requirements_of(app.stored.description);
  without_version_.erase(key);
}

void ApplicationTable::set_count_ever(std::uint32_t count) {
  assert(apps_.empty());
  next_ = count;
}

Application& ApplicationTable::add(StoredApplication application) {
  assert(!find(application.id) && !find_by_driver(application.driver));
  return insert(AppKey{next_++}, std::move(application));
}

Application* ApplicationTable::restore(StoredApplication application) {
  AppKey key{application.number};
  if (apps_.contains(key) || by_id_.contains(application.id))
    return nullptr;
  next_ = std::max(next_, application.number + 1);
  return &insert(key, std::move(application));
}

void ApplicationTable::remove(AppKey key) {
  const auto& stored = at(key).stored;
  by_driver_.erase(stored.driver);
  if (find_by_spark_driver(stored.description) == key)
    by_spark_driver_.erase(address_and_user(stored.description));
  if (const auto& driver = stored.description.driver_id)
    if (auto i = of_driver_.find(*driver);
        i->second.erase(key) > 0 && i->second.empty())
      of_driver_.erase(i);
  by_id_.erase(stored.id);
  without_version_.erase(key);
  apps_.erase(key);
}

EndedApplication ApplicationTable::forget_oldest() {
  auto oldest = std::move(ended_.front());
  ended_.pop_front();
  if (auto last = ended_by_driver_.find(oldest.driver);
      last->second == forgotten_)
    ended_by_driver_.erase(last);
  ended_by_id_.erase(oldest.info.id);
  ended_executors_ -= oldest.executors.size();
  ++forgotten_;
  return oldest;
}

Forgotten ApplicationTable::keep_ended(EndedApplication ended,
                                       const Retained& retained) {
  auto position = forgotten_ + ended_.size();
  ended_by_driver_[ended.driver] = position;
  ended_by_id_[ended.info.id] = position;
  ended_executors_ += ended.executors.size();
  ended_.push_back(std::move(ended));
  Forgotten result;
  if (std::cmp_greater(ended_.size(), retained.applications))
    result.application = forget_oldest();
  first_with_executors_ = std::max(first_with_executors_, forgotten_);
  while (std::cmp_greater(ended_executors_, retained.executors)) {
    auto& oldest = ended_[first_with_executors_++ - forgotten_];
    if (oldest.executors.empty())
      continue;
    result.executors_of.push_back(oldest.info.id);
    ended_executors_ -= oldest.executors.size();
    oldest.executors = {};
  }
  return result;
}

const StoredExecutor* ApplicationTable::take_late_end(const ExecutorId& id,
                                                      const LateEnd& end) {
  auto app = ended_by_id_.find(id.app_id);
  if (app == ended_by_id_.end())
    return nullptr;
  auto& executors = ended_[app->second - forgotten_].executors;
  auto i = std::find_if(executors.begin(), executors.end(),
                        [&](const auto& x) { return x.exec_id == id.exec_id; });
  if (i == executors.end())
    return nullptr;
  return end.apply_to(*i) ? &*i : nullptr;
}

const EndedApplication* ApplicationTable::find_ended(const AppId& id) const {
  auto i = ended_by_id_.find(id);
  return i == ended_by_id_.end() ? nullptr : &ended_[i->second - forgotten_];
}

const EndedApplication*
ApplicationTable::find_ended_by_driver(const EndpointId& driver) const {
  auto i = ended_by_driver_.find(driver);
  return i == ended_by_driver_.end() ? nullptr
                                     : &ended_[i->second - forgotten_];
}

std::optional<AppKey> ApplicationTable::find(const AppId& id) const {
  auto i = by_id_.find(id);
  return i == by_id_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<AppKey>
ApplicationTable::find_by_driver(const EndpointId& driver) const {
  auto i = by_driver_.find(driver);
  return i == by_driver_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<AppKey>
ApplicationTable::find_by_spark_driver(const ApplicationDescription& x) const {
  if (!x.spark_driver)
    return std::nullopt;
  auto i = by_spark_driver_.find(address_and_user(x));
  return i == by_spark_driver_.end() ? std::nullopt : std::optional{i->second};
}

const std::set<AppKey>& ApplicationTable::of_driver(const DriverId& id) const {
  static const std::set<AppKey> none;
  auto i = of_driver_.find(id);
  return i == of_driver_.end() ? none : i->second;
}

std::optional<std::string> ApplicationTable::invariant_violation() const {
  std::unordered_map<DriverId, std::set<AppKey>> of_driver;
  for (const auto& [key, app] : apps_) {
    auto name = to_string(app.stored.id);
    if (key != app.key() || app.stored.number >= next_)
      return name + " has a wrong number";
    if (find(app.stored.id) != key)
      return name + " is not found by its id";
    if (without_version_.contains(key) != lacks_version(app.stored.description))
      return name + " is wrongly noted as to whether its Spark is known";
    if (const auto& driver = app.stored.description.driver_id)
      of_driver[*driver].insert(key);
    if (auto problem = app.executors.invariant_violation())
      return name + ": " + *problem;
    if (auto problem = app.ended_executors.invariant_violation())
      return name + ": " + *problem;
    if (auto problem
        = app.instances ? app.instances->invariant_violation() : std::nullopt)
      return name + ": " + *problem;
  }
  if (by_id_.size() != apps_.size()
      || !std::all_of(without_version_.begin(), without_version_.end(),
                      [this](AppKey key) { return contains(key); }))
    return "an index of applications names one that is not there";
  if (of_driver != of_driver_)
    return "the index of drivers' applications is wrong";
  for (const auto& [driver, key] : by_driver_)
    if (!contains(key) || at(key).stored.driver != driver)
      return driver.value + " leads to an application that is not its own";
  for (const auto& [driver, key] : by_spark_driver_)
    if (!contains(key)
        || address_and_user(at(key).stored.description) != driver)
      return std::get<0>(driver)
             + " leads to an application that is not its own";
  std::unordered_map<EndpointId, std::uint64_t> last;
  std::unordered_map<AppId, std::uint64_t> ended;
  std::size_t executors = 0;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    last[ended_[i].driver] = forgotten_ + i;
    ended[ended_[i].info.id] = forgotten_ + i;
    executors += ended_[i].executors.size();
  }
  if (last != ended_by_driver_ || ended != ended_by_id_)
    return "an index of ended applications is wrong";
  if (executors != ended_executors_)
    return "the number of executors of ended applications is wrong";
  return std::nullopt;
}

} // namespace stoker
