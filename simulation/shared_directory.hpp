#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/master/stored.hpp"
#include "storage/journal.hpp"

namespace stoker::simulation {

/// The data directory that masters share: a lock, and a store with the promises
/// of storage/journal.hpp. What is stored survives every process.
class SharedDirectory {
public:
  // -- the lock ---------------------------------------------------------------

  /// The number of a hold, or nothing while another one holds it.
  [[nodiscard]] std::optional<std::uint64_t> try_lock() {
    if (holder_)
      return std::nullopt;
    holder_ = ++holds_;
    return holder_;
  }
  void unlock(std::uint64_t hold) {
    if (holder_ == hold)
      replace_lock();
  }
  [[nodiscard]] bool holds(std::uint64_t hold) const {
    return holder_ == hold;
  }

  /// Somebody replaces the lock's file: whoever held it does not know.
  void replace_lock() {
    holder_.reset();
    for (const auto& waiter : std::exchange(waiters_, {}))
      waiter();
  }

  /// Calls once when the lock is free.
  void when_free(std::function<void()> call) {
    waiters_.push_back(std::move(call));
  }

  // -- the store --------------------------------------------------------------

  /// As Journal::lead.
  Result<Leadership> lead();

  [[nodiscard]] bool leads(LeaderEpoch x) const {
    return x == epoch_;
  }

  /// As Journal::commit, of the leader with that epoch.
  Status commit(LeaderEpoch by, const Changes& changes);

  /// Why writing fails at present, if it does.
  std::optional<Errc> fault;

  /// How much longer a write takes at present.
  Duration extra_delay{};

  [[nodiscard]] std::uint64_t commits() const noexcept {
    return commits_;
  }

  [[nodiscard]] StoredState load() const;

private:
  [[nodiscard]] Status check() const;
  void apply(const StoredWorker& x);
  void apply(const StoredApplication& x);
  void apply(const StoredExecutor& x);
  void apply(const StoredDriver& x);
  void apply(const StoredCompany& x);
  void apply(const StoredUser& x);
  void apply(const StoredCounters& x);
  void apply(const ClusterConfig& x);
  void apply(const EraseWorker& x);
  void apply(const EraseApplication& x);
  void apply(const EraseExecutor& x);
  void apply(const EraseExecutorsOf& x);
  void apply(const EraseDriver& x);
  void apply(const EraseUser& x);

  std::optional<std::uint64_t> holder_;
  std::uint64_t holds_ = 0;
  std::vector<std::function<void()>> waiters_;

  LeaderEpoch epoch_;
  std::uint64_t commits_ = 0;
  std::optional<ClusterConfig> config_;
  StoredCounters counters_;
  std::map<WorkerId, StoredWorker> workers_;
  std::map<AppId, StoredApplication> applications_;
  std::map<ExecutorId, StoredExecutor> executors_;
  std::map<DriverId, StoredDriver> drivers_;
  std::map<std::string, StoredCompany> companies_;
  std::map<std::string, StoredUser> users_;
};

} // namespace stoker::simulation
