#pragma once

// What has ended, and what it used: for people, accounts and bills. Fails with
// `Errc::not_alive` in STANDBY, and with `Errc::not_found` where no history is kept.
//
//   command line, pages        master              history
//     | RequestHistory           |                    |
//     |------------------------->|------------------->|
//     |                HistoryResponse                |
//     |<----------------------------------------------|
//     | RequestUse               |                    |
//     |------------------------->|------------------->|
//     |                 UseResponse                   |
//     |<----------------------------------------------|

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/resource_use.hpp"

namespace stoker {

enum class HistoryKind { application, driver, executor, stage };
BOOST_DESCRIBE_ENUM(HistoryKind, application, driver, executor, stage)

/// One that has ended.
struct HistoryEntry {
  HistoryKind kind = HistoryKind::application;

  /// Of an executor "APP/N", of a stage "APP/stage-N".
  std::string id;

  /// Unset: of a driver.
  std::optional<AppId> app_id;

  /// Of an executor, its application's.
  std::string name;
  std::string user;

  /// To which the user belonged when it ended; unset: there were no companies.
  std::optional<std::string> company;

  /// As `ApplicationState`, `DriverState`, `ExecutorState` or `StageStatus`.
  std::string state;
  std::optional<int> exit_status;

  /// Why it ended so.
  std::optional<std::string> message;
  std::optional<WorkerId> worker_id;
  std::optional<std::string> host;

  /// Which of the application's instances it was.
  std::optional<int> instance;

  /// What it held, of executors and drivers.
  int cores = 0;
  std::int64_t memory_mb = 0;

  /// Milliseconds since 1970. It began when it was given to a worker; an application
  /// when its first executor was.
  std::int64_t submitted_ms = 0;
  std::optional<std::int64_t> started_ms;
  std::int64_t ended_ms = 0;

  /// How long it held cores, times how many. Of an application: all of its executors
  /// that are in the history, as in `use`.
  std::int64_t core_ms = 0;

  /// Unset: nobody counted.
  std::optional<ResourceUse> use;

  /// Executors of an application, attempts of a driver, tasks of a stage.
  int parts = 0;

  /// Those of a stage that failed.
  int failed_parts = 0;

  /// The driver that was started in its place.
  std::optional<DriverId> relaunched_as;

  friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};
BOOST_DESCRIBE_STRUCT(HistoryEntry, (),
                      (kind, id, app_id, name, user, company, state,
                       exit_status, message, worker_id, host, instance, cores,
                       memory_mb, submitted_ms, started_ms, ended_ms, core_ms,
                       use, parts, failed_parts, relaunched_as))

/// What is set has to hold.
struct RequestHistory {
  /// Empty: all.
  std::vector<HistoryKind> kinds;
  std::optional<std::string> id;

  /// Itself, its executors and its stages.
  std::optional<AppId> app_id;
  std::optional<std::string> name;
  std::optional<std::string> user;
  std::optional<std::string> company;
  std::optional<std::string> state;

  /// It ended then or later, and before: milliseconds since 1970.
  std::optional<std::int64_t> since_ms;
  std::optional<std::int64_t> until_ms;

  /// So many, those that ended last; at most `history_rows_max`.
  int rows_max = 100;

  /// Where the last answer ended, to go on there.
  std::optional<std::string> after;
};
BOOST_DESCRIBE_STRUCT(RequestHistory, (),
                      (kinds, id, app_id, name, user, company, state, since_ms,
                       until_ms, rows_max, after))

/// No answer has more.
inline constexpr int history_rows_max = 10'000;

struct HistoryResponse {
  /// Those that ended last come first.
  std::vector<HistoryEntry> entries;

  /// There are more: the `after` of the next request.
  std::optional<std::string> next;

  /// What ended before is not kept any more; unset: all is kept. Milliseconds since 1970.
  std::optional<std::int64_t> kept_since_ms;
};
BOOST_DESCRIBE_STRUCT(HistoryResponse, (), (entries, next, kept_since_ms))

/// Months are those of UTC, as "2026-11". What is set has to hold.
struct RequestUse {
  std::optional<std::string> from;

  /// The last one.
  std::optional<std::string> to;
  std::optional<std::string> company;
  std::optional<std::string> user;
};
BOOST_DESCRIBE_STRUCT(RequestUse, (), (from, to, company, user))

/// What the executors and drivers of a user have held and used in a month, also those
/// that still run.
struct MonthlyUse {
  std::string month;

  /// Unset: there were no companies.
  std::optional<std::string> company;
  std::string user;

  /// How long cores were held, times how many; memory likewise, in MB times seconds.
  std::int64_t core_ms = 0;
  std::int64_t memory_mb_s = 0;

  /// As counted when they ended, in the month of their end.
  std::int64_t cpu_ms = 0;

  // How many ended in the month.
  std::int64_t applications = 0;
  std::int64_t drivers = 0;
  std::int64_t executors = 0;

  friend bool operator==(const MonthlyUse&, const MonthlyUse&) = default;
};
BOOST_DESCRIBE_STRUCT(MonthlyUse, (),
                      (month, company, user, core_ms, memory_mb_s, cpu_ms,
                       applications, drivers, executors))

struct UseResponse {
  /// By month, the last one first, then company and user.
  std::vector<MonthlyUse> months;
};
BOOST_DESCRIBE_STRUCT(UseResponse, (), (months))

} // namespace stoker
