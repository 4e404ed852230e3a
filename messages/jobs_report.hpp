#pragma once

// What a driver's jobs do, for people. Nothing depends on it, so nothing of it is
// stored: a new leader is told anew.
//
//   app client               master               command line
//     | ReportJobs             |                       |
//     |----------------------->|     RequestJobs       |
//     |   (at most once a s)   |<----------------------|
//     |                        |     JobsResponse      |
//     |                        |---------------------->|

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/resource_use.hpp"
#include "messages/states.hpp"

namespace stoker {

// -- driver to master ---------------------------------------------------------

/// Spark's JobExecutionStatus. KILLED: it was cancelled. UNKNOWN: its application
/// ended, and nobody told how the job had.
enum class JobStatus { RUNNING, SUCCEEDED, FAILED, KILLED, UNKNOWN };
BOOST_DESCRIBE_ENUM(JobStatus, RUNNING, SUCCEEDED, FAILED, KILLED, UNKNOWN)

struct JobInfo {
  JobId id;
  std::string name;
  std::string pool;
  JobStatus status = JobStatus::RUNNING;

  /// Milliseconds since 1970.
  std::int64_t submitted_ms = 0;
  std::optional<std::int64_t> ended_ms;

  /// Of FAILED and KILLED: why, in one line.
  std::string message;

  /// Also those that earlier jobs have computed.
  int stages = 0;
  int stages_complete = 0;

  // Of all of its stages.
  std::int64_t tasks = 0;
  std::int64_t running = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;

  friend bool operator==(const JobInfo&, const JobInfo&) = default;
};
BOOST_DESCRIBE_STRUCT(JobInfo, (),
                      (id, name, pool, status, submitted_ms, ended_ms, message,
                       stages, stages_complete, tasks, running, done, failed))

/// Spark's names. PENDING: it waits for others; COMPLETE: all of its tasks are done;
/// FAILED, SKIPPED: they were not, or had not begun, when its last job ended.
enum class StageStatus { PENDING, ACTIVE, COMPLETE, FAILED, SKIPPED };
BOOST_DESCRIBE_ENUM(StageStatus, PENDING, ACTIVE, COMPLETE, FAILED, SKIPPED)

struct StageInfo {
  StageId id;
  std::string name;
  StageStatus status = StageStatus::PENDING;

  /// Those of the reported jobs that have it.
  std::vector<JobId> jobs;
  int tasks = 0;

  /// Tasks that an executor has begun, and those that are done.
  int running = 0;
  int done = 0;

  /// Attempts that failed, so far.
  int failed = 0;

  /// Milliseconds since 1970: when tasks could begin, and when all were done or nobody
  /// needed them any more.
  std::optional<std::int64_t> started_ms;
  std::optional<std::int64_t> ended_ms;

  /// What tasks of it wait for, as a sentence without its stop; empty: none waits.
  std::string waits;

  /// How long its attempts have held cores, times how many: of those that have ended.
  std::int64_t core_ms = 0;

  /// What they have used: the largest peak of one, and what they wrote for others to
  /// read.
  ResourceUse use;

  friend bool operator==(const StageInfo&, const StageInfo&) = default;
};
BOOST_DESCRIBE_STRUCT(StageInfo, (),
                      (id, name, status, jobs, tasks, running, done, failed,
                       started_ms, ended_ms, waits, core_ms, use))

/// Sent when something has changed, at most once a second, and after each
/// registration. Replaces what was said before. Jobs that run come before those that
/// ended, and of those the last one first. A master that does not lead, or does not
/// reach the application over this connection, does not hear it.
struct ReportJobs {
  /// For the app client to fill in.
  AppId app_id;

  /// Executors that have registered with the driver, and their cores.
  int executors = 0;
  std::int64_t cores = 0;
  std::vector<JobInfo> jobs;
  std::vector<StageInfo> stages;

  /// How many are not among them.
  int jobs_left_out = 0;
  int stages_left_out = 0;

  friend bool operator==(const ReportJobs&, const ReportJobs&) = default;
};
BOOST_DESCRIBE_STRUCT(ReportJobs, (),
                      (app_id, executors, cores, jobs, stages, jobs_left_out,
                       stages_left_out))

// A master takes no more of one application.
inline constexpr std::size_t reported_jobs_max = 100;
inline constexpr std::size_t reported_stages_max = 500;

/// Characters of a name, and of a sentence.
inline constexpr std::size_t reported_name_max = 128;
inline constexpr std::size_t reported_text_max = 500;

// -- command line to master ---------------------------------------------------

/// What is set has to hold. Fails in STANDBY, so that the next master is asked.
struct RequestJobs {
  std::optional<AppId> app_id;

  /// Whose application it is.
  std::optional<std::string> user;

  /// Nothing that has ended.
  bool only_active = false;

  /// Of jobs and of stages, as "RUNNING".
  std::optional<std::string> state;

  bool jobs = true;
  bool stages = true;

  /// So many of both together: those that go on before those that have ended, and of
  /// those the newest applications' first.
  int rows_max = 1000;
};
BOOST_DESCRIBE_STRUCT(RequestJobs, (),
                      (app_id, user, only_active, state, jobs, stages,
                       rows_max))

struct ApplicationJobs {
  AppId app_id;
  std::string name;
  std::string user;
  ApplicationState state = ApplicationState::UNKNOWN;

  /// When the master heard this last, in milliseconds since 1970. Nothing has changed
  /// since, as long as its driver is connected.
  std::int64_t reported_ms = 0;

  // As in ReportJobs.
  int executors = 0;
  std::int64_t cores = 0;
  std::vector<JobInfo> jobs;
  std::vector<StageInfo> stages;
  int jobs_left_out = 0;
  int stages_left_out = 0;
};
BOOST_DESCRIBE_STRUCT(ApplicationJobs, (),
                      (app_id, name, user, state, reported_ms, executors, cores,
                       jobs, stages, jobs_left_out, stages_left_out))

struct JobsResponse {
  /// By their ids: those whose driver has said something, and that are not forgotten.
  std::vector<ApplicationJobs> applications;

  /// How many jobs and stages that were asked for are not among them.
  std::int64_t left_out = 0;
};
BOOST_DESCRIBE_STRUCT(JobsResponse, (), (applications, left_out))

} // namespace stoker
