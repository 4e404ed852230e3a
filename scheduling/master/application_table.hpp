#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "messages/administration.hpp"
#include "scheduling/master/application_executors.hpp"
#include "scheduling/master/ended_executors.hpp"
#include "scheduling/master/instance_table.hpp"
#include "scheduling/master/records.hpp"

namespace stoker {

/// The present row of failed executors, as far as this leader has seen it.
struct FailureRow {
  /// When the first one failed, and how long it had run; unset without a row.
  std::optional<Instant> since;
  Duration first{};

  /// How many failed that started after that, and how long the one that ran longest did.
  int young = 0;
  Duration longest{};
};

/// A present application.
struct Application {
  /// What the members below own is filled in when it is stored (`record_of`).
  StoredApplication stored;

  /// What its description says of where its executors can run.
  Requirements needs;

  /// `Capacity::workers_version` when its version of Spark was sought among the workers;
  /// 0: never, as there were none.
  std::uint64_t version_sought = 0;

  /// What counts for its tenant of what it asks for, and what it has of that.
  Resources requested;
  Resources running;

  /// By so much its request grows: an executor, or all that it needs at once.
  Resources unit;

  /// How many executors it needed at once when that was looked at last.
  int at_once = 1;

  /// Set while the connection to the driver is broken.
  std::optional<Instant> reconnect_due;

  /// By how much that is later, because most others are away, too
  /// (scheduling/master/outages.hpp).
  Duration patience{};

  /// When it has to have said something again; unset: it never sent a heartbeat.
  std::optional<Instant> heartbeat_due;

  /// By worker: the number of the next executor when one there failed last. Those
  /// before it that fail there, too, do so for the same reason.
  std::map<WorkerKey, int> failed_before;

  FailureRow failure_row;

  ApplicationExecutors executors;
  EndedExecutors ended_executors;
  std::optional<InstanceTable> instances;

  [[nodiscard]] AppKey key() const noexcept {
    return AppKey{stored.number};
  }

  /// Unset while it waits in its user's queue.
  [[nodiscard]] std::optional<QueuePosition> position() const {
    return stored.turn ? std::optional{QueuePosition{*stored.turn, key()}}
                       : std::nullopt;
  }

  /// What a worker needs to have free for another executor. Without cores: one
  /// a worker, as wide as it can be.
  [[nodiscard]] ExecutorSize executor_size() const noexcept {
    return {stored.cores_per_executor.value_or(1),
            stored.memory_per_executor_mb};
  }

  [[nodiscard]] ExecutorShape shape() const {
    return {executor_size(), needs, !stored.cores_per_executor};
  }
};

/// One that ended, with the driver that registered it.
struct EndedApplication {
  /// But for executors.
  ApplicationInfo info;
  EndpointId driver;

  /// The last that ended, in the order of their ends.
  std::vector<StoredExecutor> executors;
};

/// How much of what has ended is kept for viewing.
struct Retained {
  int applications = 0;

  /// Of all these applications together.
  int executors = 0;
};

/// What is not kept any more.
struct Forgotten {
  std::optional<EndedApplication> application;

  /// Those of these applications.
  std::vector<AppId> executors_of;
};

/// Present applications, and the last ones that ended.
///
/// Invariants: each index names applications that are here, and each of them: by
/// id, by the endpoint of its driver, by the driver's id, and whether a version of Spark is
/// sought; of those that ended, by id, and the last of each driver. What identifies an
/// application (number, id, driver) does not change.
class ApplicationTable {
public:
  /// How many there have been: numbers are not given twice.
  [[nodiscard]] std::uint32_t count_ever() const noexcept {
    return next_;
  }
  void set_count_ever(std::uint32_t count);

  /// Adds an application with the next number. @pre Id and driver are new.
  Application& add(StoredApplication application);

  /// Takes over an application under the number that it had. Nothing: its number
  /// or id is here already.
  Application* restore(StoredApplication application);

  /// Takes a present one out.
  void remove(AppKey key);

  /// Changes what its executors need. @pre Its command is a program of Spark's, and the
  /// version is one.
  void set_spark_version(AppKey key, const std::string& version);

  /// Those without a version of Spark whose driver told which ones it may have.
  [[nodiscard]] const std::set<AppKey>& without_version() const noexcept {
    return without_version_;
  }

  /// Keeps one that ended for viewing, in place of the oldest. Of whose executors
  /// nothing is kept, those ended first.
  Forgotten keep_ended(EndedApplication ended, const Retained& retained);

  /// Keeps what the worker of an executor of one that ended says late, and returns its
  /// record. Null: nothing is kept of it, or that is no news.
  const StoredExecutor* take_late_end(const ExecutorId& id, const LateEnd& end);

  // -- look-up ----------------------------------------------------------------

  [[nodiscard]] std::optional<AppKey> find(const AppId& id) const;
  [[nodiscard]] std::optional<AppKey>
  find_by_driver(const EndpointId& driver) const;

  /// Returns the application of this user that was added last and whose driver speaks Spark's
  /// protocol and listens at this address. Returns std::nullopt if there is none, or once that
  /// one has ended, also if an older one has not.
  [[nodiscard]] std::optional<AppKey>
  find_by_spark_driver(const ApplicationDescription& x) const;

  /// Returns those that name this driver as theirs, in order of arrival.
  [[nodiscard]] const std::set<AppKey>& of_driver(const DriverId& id) const;

  [[nodiscard]] const Application& at(AppKey key) const {
    return apps_.at(key);
  }

  /// Its identity stays.
  [[nodiscard]] Application& edit(AppKey key) {
    return apps_.at(key);
  }

  [[nodiscard]] bool contains(AppKey key) const {
    return apps_.contains(key);
  }

  /// In order of arrival.
  [[nodiscard]] const std::map<AppKey, Application>& all() const noexcept {
    return apps_;
  }

  /// Oldest first.
  [[nodiscard]] const std::deque<EndedApplication>& ended() const noexcept {
    return ended_;
  }

  /// Null: it is not kept.
  [[nodiscard]] const EndedApplication* find_ended(const AppId& id) const;

  /// The last one of this driver; null: none is kept.
  [[nodiscard]] const EndedApplication*
  find_ended_by_driver(const EndpointId& driver) const;

  /// Recomputes the indexes. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  Application& insert(AppKey key, StoredApplication&& application);
  EndedApplication forget_oldest();

  std::map<AppKey, Application> apps_;
  std::uint32_t next_ = 0;
  std::unordered_map<AppId, AppKey> by_id_;
  std::unordered_map<EndpointId, AppKey> by_driver_;

  /// By host, port and user.
  std::map<std::tuple<std::string, int, std::string>, AppKey> by_spark_driver_;
  std::unordered_map<DriverId, std::set<AppKey>> of_driver_;
  std::set<AppKey> without_version_;
  std::deque<EndedApplication> ended_;

  /// How many were kept once and are not any more.
  std::uint64_t forgotten_ = 0;

  // Counted from the first that was ever kept.

  std::unordered_map<AppId, std::uint64_t> ended_by_id_;
  std::unordered_map<EndpointId, std::uint64_t> ended_by_driver_;

  /// Those before it have no executors.
  std::uint64_t first_with_executors_ = 0;

  /// Executors of all that ended.
  std::size_t ended_executors_ = 0;
};

} // namespace stoker
