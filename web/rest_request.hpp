#pragma once

// What somebody asks at /api/v1 (openapi/openapi.json describes it).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/administration.hpp"
#include "messages/describe.hpp"
#include "messages/descriptions.hpp"
#include "messages/history.hpp"
#include "messages/jobs_report.hpp"
#include "messages/planning.hpp"
#include "messages/queues.hpp"
#include "web/http.hpp"
#include "web/output_follower.hpp"

namespace stoker {

/// A program that runs when another has ended, in whatever way, in its directory and
/// environment.
struct EndHookSubmission {
  std::vector<std::string> command;

  /// How often it is started again when it fails.
  int retries = 5;
};
BOOST_DESCRIBE_STRUCT(EndHookSubmission, (), (command, retries))

/// Executors that a program cannot do without.
struct ExecutorsSubmission {
  /// 0: it runs nothing on the cluster.
  int count = 1;
  int cores = 1;
  std::int64_t memory_mb = 512;
  ResourceAmounts resources;
};
BOOST_DESCRIBE_STRUCT(ExecutorsSubmission, (),
                      (count, cores, memory_mb, resources))

/// A program that is to run on the cluster.
struct DriverSubmission {
  /// The program and its arguments. Without a slash it is looked up on the worker's PATH.
  std::vector<std::string> command;

  /// Empty: that of the program.
  std::string name;
  int cores = 1;
  std::int64_t memory_mb = 512;
  ResourceAmounts resources;
  std::map<std::string, std::string> environment;

  /// Empty: a directory of its own.
  std::string working_directory;

  /// Start it again when it fails, or when its worker is lost.
  bool supervise = false;

  /// At most so often after a failure; says `supervise`, too.
  std::optional<int> max_restarts;

  /// Start it when these applications and drivers have ended; and have ended well.
  std::vector<std::string> after;
  std::vector<std::string> after_ok;
  std::optional<EndHookSubmission> on_end;

  /// Start it only when these fit too, and keep their room for what it runs.
  std::optional<ExecutorsSubmission> executors;

  /// Wait for a worker that is large enough, if none is.
  bool wait = false;

  /// The same when a request is repeated, since its answer was lost: it then gives the
  /// driver that there is.
  std::string submission;
};
BOOST_DESCRIBE_STRUCT(DriverSubmission, (),
                      (command, name, cores, memory_mb, resources, environment,
                       working_directory, supervise, max_restarts, after,
                       after_ok, on_end, executors, wait, submission))

// -- what a copy of the cluster answers ---------------------------------------

struct ReadState {
  RequestMasterState parts;
};
struct ReadWorker {
  WorkerId id;
};
struct ReadApplication {
  AppId id;
};
struct ReadExecutor {
  ExecutorId id;
};
struct ReadDriver {
  DriverId id;
};

/// The driver that was started by a submission.
struct ReadSubmission {
  std::string submission;
};

/// As they happen.
struct FollowEvents {
  /// The number of the last one that is known.
  std::uint64_t after = 0;

  /// Only those that name it; empty: all.
  std::string of;
};

// -- what the master is asked -------------------------------------------------

struct EndApplication {
  AppId id;
};
struct EndExecutor {
  ExecutorId id;
};
struct EndDriver {
  DriverId id;
};

using RestRequest
    = std::variant<ReadState, ReadWorker, ReadApplication, ReadExecutor,
                   ReadDriver, ReadSubmission, FollowEvents, OutputRequest,
                   RequestExplanation, RequestQueues, RequestJobs,
                   RequestHistory, RequestUse, RequestPlan, DriverSubmission,
                   EndApplication, EndExecutor, EndDriver>;

/// What is asked, or the answer to what is not right.
std::variant<RestRequest, HttpResponse>
parse_rest_request(const HttpRequest& request);

/// What a driver is submitted as.
/// @pre What it waits for are ids of applications and drivers.
DriverDescription description_of(const DriverSubmission& x,
                                 const std::string& user);

} // namespace stoker
