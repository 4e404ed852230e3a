#pragma once

// An application's life at the master.
//
//   app client                              master
//     | RegisterApplication                   |
//     |-------------------------------------->|  recorded, then answered
//     |   RegisteredApplication               |  or ApplicationRemoved,
//     |<--------------------------------------|  or MasterInStandby
//     |   ExecutorAdded, ExecutorUpdated      |
//     |<--------------------------------------|  see messages/executor.hpp
//     | RequestExecutors, KillExecutors       |
//     | SetSparkVersion                       |
//     |-------------------------------------->|
//     |   bool                                |
//     |<--------------------------------------|
//     | ApplicationHeartbeat (every interval) |
//     |-------------------------------------->|
//     |   ReconnectApplication   (it is away, |
//     |<--------------------------------------|  as the master sees it)
//     | UnregisterApplication                 |
//     |-------------------------------------->|
//     |   ApplicationRemoved (not asked for)  |
//     |<--------------------------------------|

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/connection_stamp.hpp"
#include "messages/descriptions.hpp"
#include "messages/end_number.hpp"

namespace stoker {

// -- app client to master -----------------------------------------------------

/// Asks for executors. The same `driver` again is the same application: it gets
/// the same answer, and no second application, not even when the first was
/// removed meanwhile. Answered by RegisteredApplication, ApplicationRemoved or
/// MasterInStandby.
struct RegisterApplication {
  ApplicationDescription description;
  EndpointId driver;

  /// Set by a driver that comes back after its connection broke: what it was
  /// registered as. Refused when that application has ended meanwhile.
  std::optional<AppId> app_id;

  /// One that is lower than that of the last registration does not count.
  ConnectionStamp stamp;

  /// Who has proven to be behind it, as "user ann": for the master to fill in.
  std::string identity;
};
BOOST_DESCRIBE_STRUCT(RegisterApplication, (),
                      (description, driver, app_id, stamp, identity))

/// Sent every 15 s while it is registered, since a connection may be dead without
/// an end; and when it has heard of many ends. Repeating it changes nothing.
struct ApplicationHeartbeat {
  EndpointId driver;

  /// The last end that it has heard of. The master need not remember for its sake
  /// how instances have ended up to there.
  EndNumber heard;
};
BOOST_DESCRIBE_STRUCT(ApplicationHeartbeat, (), (driver, heard))

/// The application has ended by itself. Its executors are ended. Answered by
/// true, so that a driver may leave without fear that it was not heard.
struct UnregisterApplication {
  AppId app_id;

  /// Its user has ended it before its work was done: it ends as KILLED.
  bool interrupted = false;

  /// Why its work could not be done, in one line: it ends as FAILED.
  std::optional<std::string> failure;
};
BOOST_DESCRIBE_STRUCT(UnregisterApplication, (), (app_id, interrupted, failure))

/// How many executors the application wants in all. A lower number ends none;
/// it only keeps new ones from being started. Answered by false when the
/// application is not known, and when it could not have its gang.
struct RequestExecutors {
  AppId app_id;
  int requested_total = 0;

  /// Replaces the description's; unset: they stay.
  std::optional<std::map<std::string, int>> preferred_hosts;

  /// Replaces the description's, and is at most `requested_total`; unset: it stays,
  /// and counts as far as so many are wanted.
  std::optional<int> gang;
};
BOOST_DESCRIBE_STRUCT(RequestExecutors, (),
                      (app_id, requested_total, preferred_hosts, gang))

/// Ends executors; the number wanted stays. Unknown ones are harmless. Answered
/// by false when the application is not known.
struct KillExecutors {
  AppId app_id;
  std::vector<int> executor_ids;
};
BOOST_DESCRIBE_STRUCT(KillExecutors, (), (app_id, executor_ids))

/// Tells the version of the Spark of an application's driver. Until then the master starts
/// executors only if workers leave no choice (`SparkDriver::possible_versions`); executors
/// of another release than this one end. Answered by false if the version does not count:
/// if the application is not known or is none of Spark's, if that is no version, if
/// executors of another release run that was told before, and for a guess if executors may
/// start already.
struct SetSparkVersion {
  AppId app_id;

  /// As "3.5.9".
  std::string version;

  /// Neither the driver nor a rule tells the version.
  bool is_guess = false;
};
BOOST_DESCRIBE_STRUCT(SetSparkVersion, (), (app_id, version, is_guess))

// -- master to app client -----------------------------------------------------

struct RegisteredApplication {
  AppId app_id;
  std::string master_url;
};
BOOST_DESCRIBE_STRUCT(RegisteredApplication, (), (app_id, master_url))

/// The master does not know the driver (any more), or believes it to be away:
/// register again.
struct ReconnectApplication {
  std::string master_url;
};
BOOST_DESCRIBE_STRUCT(ReconnectApplication, (), (master_url))

/// The master has ended or refused the application; `message` says why.
struct ApplicationRemoved {
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ApplicationRemoved, (), (message))

/// A worker is gone, with all outputs that it held. Told to each application.
struct WorkerRemoved {
  WorkerId id;
  std::string host;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(WorkerRemoved, (), (id, host, message))

// -- master to worker ---------------------------------------------------------

/// Nothing of the application is needed any more.
struct ApplicationFinished {
  AppId id;
};
BOOST_DESCRIBE_STRUCT(ApplicationFinished, (), (id))

} // namespace stoker
