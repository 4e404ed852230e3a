#pragma once

// Which fields of records have columns of their own, for people who query them.
// storage/sqlite_schema.cpp makes the columns.

#include <algorithm>
#include <string_view>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// The table of a kind of record: its columns beside `record`, the first `keys`
/// of which are its key; and `each`, which calls with their values in that order.
template <class Record>
struct Table;

template <>
struct Table<StoredWorker> {
  static constexpr const char* name = "workers";
  static constexpr int keys = 1;
  static constexpr const char* columns
      = "id, number, state, host, port, cores, memory_mb";
  static constexpr const char* order = "number, id";
  template <class F>
  static void each(const StoredWorker& x, F&& f) {
    f(x.id, x.number, x.state, x.host, x.port, x.cores, x.memory_mb);
  }
};

template <>
struct Table<StoredApplication> {
  static constexpr const char* name = "applications";
  static constexpr int keys = 1;
  static constexpr const char* columns
      = "id, number, state, name, user, submitted_ms, started_ms, ended_ms";
  static constexpr const char* order = "number, id";
  template <class F>
  static void each(const StoredApplication& x, F&& f) {
    f(x.id, x.number, x.state, x.description.name, x.description.user,
      x.submitted, x.started, x.ended);
  }
};

template <>
struct Table<StoredInstance> {
  static constexpr const char* name = "instances";
  static constexpr int keys = 2;
  static constexpr const char* columns = "app_id, instance, done, failures";
  static constexpr const char* order = "app_id, instance";
  template <class F>
  static void each(const StoredInstance& x, F&& f) {
    f(x.app_id, x.index, x.done, x.failures);
  }
};

template <>
struct Table<StoredExecutor> {
  static constexpr const char* name = "executors";
  static constexpr int keys = 2;
  static constexpr const char* columns
      = "app_id, exec_id, worker_id, host, state, cores, memory_mb, "
        "launched_ms, ended_ms, ending";
  static constexpr const char* order = "app_id, exec_id";
  template <class F>
  static void each(const StoredExecutor& x, F&& f) {
    f(x.app_id, x.exec_id, x.worker_id, x.host, x.state, x.cores, x.memory_mb,
      x.launched, x.ended, x.ending);
  }
};

template <>
struct Table<StoredDriver> {
  static constexpr const char* name = "drivers";
  static constexpr int keys = 1;
  static constexpr const char* columns
      = "id, number, state, name, user, worker_id, host, cores, memory_mb, "
        "submitted_ms, ended_ms";
  static constexpr const char* order = "number, id";
  template <class F>
  static void each(const StoredDriver& x, F&& f) {
    f(x.id, x.number, x.state, x.description.name, x.description.user,
      x.worker_id, x.host, x.description.cores, x.description.memory_mb,
      x.submitted, x.ended);
  }
};

template <>
struct Table<StoredCompany> {
  static constexpr const char* name = "companies";
  static constexpr int keys = 1;
  static constexpr const char* columns
      = "name, usage_cores, usage_memory_mb, usage_at_ms";
  static constexpr const char* order = "name";
  template <class F>
  static void each(const StoredCompany& x, F&& f) {
    f(x.name, x.usage_cores, x.usage_memory_mb, x.usage_at_ms);
  }
};

template <>
struct Table<StoredUser> {
  static constexpr const char* name = "users";
  static constexpr int keys = 1;
  static constexpr const char* columns = "name";
  static constexpr const char* order = "name";
  template <class F>
  static void each(const StoredUser& x, F&& f) {
    f(x.name);
  }
};

template <>
struct Table<StoredCounters> {
  static constexpr const char* name = "counters";
  static constexpr int keys = 1;
  static constexpr const char* columns = "one, applications, drivers";
  static constexpr const char* order = "one";
  template <class F>
  static void each(const StoredCounters& x, F&& f) {
    f(1, x.applications, x.drivers);
  }
};

template <>
struct Table<ClusterConfig> {
  static constexpr const char* name = "configuration";
  static constexpr int keys = 1;
  static constexpr const char* columns = "one";
  static constexpr const char* order = "one";
  template <class F>
  static void each(const ClusterConfig&, F&& f) {
    f(1);
  }
};

template <class Record>
constexpr int count_columns() {
  std::string_view columns = Table<Record>::columns;
  return 1 + static_cast<int>(std::count(columns.begin(), columns.end(), ','));
}

} // namespace stoker
