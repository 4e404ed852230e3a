#include "storage/last_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <variant>

namespace stoker {

namespace {

enum class Kind {
  worker,
  application,
  instance,
  instances_of,
  executor,
  executors_of,
  driver,
  company,
  user,
  counters,
  config
};

/// Which record a change is about.
struct Key {
  Kind kind = Kind::config;
  std::string_view name;
  int number = 0;

  friend bool operator==(const Key&, const Key&) = default;
};

struct HashKey {
  std::size_t operator()(const Key& x) const noexcept {
    auto rest = static_cast<std::size_t>(x.kind)
                + 16 * static_cast<std::size_t>(x.number);
    return std::hash<std::string_view>{}(x.name) ^ (rest * 0x9e3779b97f4a7c15);
  }
};

struct KeyOf {
  Key operator()(const StoredWorker& x) const {
    return {Kind::worker, x.id.value};
  }
  Key operator()(const EraseWorker& x) const {
    return {Kind::worker, x.id.value};
  }
  Key operator()(const StoredApplication& x) const {
    return {Kind::application, x.id.value};
  }
  Key operator()(const EraseApplication& x) const {
    return {Kind::application, x.id.value};
  }
  Key operator()(const StoredInstance& x) const {
    return {Kind::instance, x.app_id.value, x.index};
  }
  Key operator()(const EraseInstancesOf& x) const {
    return {Kind::instances_of, x.app_id.value};
  }
  Key operator()(const StoredExecutor& x) const {
    return {Kind::executor, x.app_id.value, x.exec_id};
  }
  Key operator()(const EraseExecutor& x) const {
    return {Kind::executor, x.id.app_id.value, x.id.exec_id};
  }
  Key operator()(const EraseExecutorsOf& x) const {
    return {Kind::executors_of, x.app_id.value};
  }
  Key operator()(const StoredDriver& x) const {
    return {Kind::driver, x.id.value};
  }
  Key operator()(const EraseDriver& x) const {
    return {Kind::driver, x.id.value};
  }
  Key operator()(const StoredCompany& x) const {
    return {Kind::company, x.name};
  }
  Key operator()(const StoredUser& x) const {
    return {Kind::user, x.name};
  }
  Key operator()(const EraseUser& x) const {
    return {Kind::user, x.name};
  }
  Key operator()(const StoredCounters&) const {
    return {Kind::counters, {}};
  }
  Key operator()(const ClusterConfig&) const {
    return {Kind::config, {}};
  }
};

} // namespace

std::vector<const Change*> last_changes(const Changes& changes) {
  std::vector<const Change*> result;
  result.reserve(changes.size());
  std::unordered_set<Key, HashKey> seen;
  seen.reserve(changes.size());
  for (auto i = changes.rbegin(); i != changes.rend(); ++i) {
    auto key = std::visit(KeyOf{}, *i);
    auto erased_with_others
        = (key.kind == Kind::executor
           && seen.contains({Kind::executors_of, key.name}))
          || (key.kind == Kind::instance
              && seen.contains({Kind::instances_of, key.name}));
    if (!erased_with_others && seen.insert(key).second)
      result.push_back(&*i);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

} // namespace stoker
