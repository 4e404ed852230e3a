#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "messages/ids.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/wake_up.hpp"
#include "scheduling/jobs/jobs_config.hpp"

namespace stoker {

/// Which executors a task failed on, and how often; and where it found a full disk.
class FailurePlaces {
public:
  void add(int exec_id, const std::string& host) {
    ++executors_[exec_id];
    ++hosts_[host];
  }

  /// Returns how often it has found that disk full.
  int add_full(const WorkerId& worker) {
    return ++full_[worker];
  }
  [[nodiscard]] bool was_full(const WorkerId& worker) const {
    return full_.contains(worker);
  }

  [[nodiscard]] bool has(int exec_id) const {
    return executors_.contains(exec_id);
  }
  [[nodiscard]] int on_executor(int exec_id) const {
    auto found = executors_.find(exec_id);
    return found == executors_.end() ? 0 : found->second;
  }
  [[nodiscard]] int on_host(const std::string& host) const {
    auto found = hosts_.find(host);
    return found == hosts_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::map<int, int>& executors() const noexcept {
    return executors_;
  }

private:
  std::map<int, int> executors_;
  std::map<std::string, int> hosts_;
  std::map<WorkerId, int> full_;
};

/// Executors and hosts that are left out because of what failed there: in a stage
/// until it ends, or in the application for a while (Spark's `HealthTracker`).
class Exclusions {
public:
  struct Limits {
    int failures_per_executor = 2;
    int executors_per_host = 2;

    /// Unset: for good.
    std::optional<Duration> timeout;
  };

  /// A task failed there.
  void add_failure(Instant now, const Limits& limits, int exec_id,
                   const std::string& host) {
    auto& failures = failures_[exec_id];
    forget_before(now, limits, failures);
    failures.insert(now);
    if (static_cast<int>(failures.size()) < limits.failures_per_executor
        || executors_.contains(exec_id))
      return;
    auto until
        = limits.timeout ? std::optional{now + *limits.timeout} : std::nullopt;
    executors_[exec_id] = until;
    auto& excluded = excluded_on_[host];
    excluded.insert(exec_id);
    if (static_cast<int>(excluded.size()) >= limits.executors_per_host)
      hosts_[host] = until;
  }

  [[nodiscard]] bool excludes(Instant now, int exec_id,
                              const std::string& host) const {
    return holds(now, executors_, exec_id) || holds(now, hosts_, host);
  }

  /// When the next one is no longer left out.
  [[nodiscard]] std::optional<Instant> next(Instant now) const {
    std::optional<Instant> result;
    for (const auto& [id, until] : executors_)
      if (until && *until > now)
        result = earlier(result, until);
    for (const auto& [host, until] : hosts_)
      if (until && *until > now)
        result = earlier(result, until);
    return result;
  }

  /// Drops those whose time is over. Returns whether there were any.
  bool expire(Instant now) {
    auto dropped = std::erase_if(executors_, [&](const auto& x) {
      if (!x.second || *x.second > now)
        return false;
      failures_.erase(x.first);
      for (auto& [host, excluded] : excluded_on_)
        excluded.erase(x.first);
      return true;
    });
    dropped += std::erase_if(
        hosts_, [&](const auto& x) { return x.second && *x.second <= now; });
    return dropped > 0;
  }

  [[nodiscard]] bool empty() const noexcept {
    return executors_.empty() && hosts_.empty();
  }

private:
  template <class Map, class Key>
  static bool holds(Instant now, const Map& map, const Key& key) {
    auto found = map.find(key);
    return found != map.end() && (!found->second || *found->second > now);
  }

  static void forget_before(Instant now, const Limits& limits,
                            std::multiset<Instant>& failures) {
    if (limits.timeout)
      failures.erase(failures.begin(),
                     failures.upper_bound(now - *limits.timeout));
  }

  std::map<int, std::multiset<Instant>> failures_;
  std::map<int, std::optional<Instant>> executors_;
  std::map<std::string, std::set<int>> excluded_on_;
  std::map<std::string, std::optional<Instant>> hosts_;
};

} // namespace stoker
