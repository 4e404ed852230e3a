#pragma once

// Companies, users and the order of their applications, as people ask for them.
//
//   command line          master
//     | RequestQueues       |
//     |-------------------->|
//     |   QueuesResponse    |
//     |<--------------------|
//     | RequestReload       |  reads the tenants' file again
//     |-------------------->|
//     |   ReloadResponse    |
//     |<--------------------|

#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/tenants_view.hpp"

namespace stoker {

struct RequestQueues {};
BOOST_DESCRIBE_STRUCT(RequestQueues, (), ())

/// An application in the order in which a pass visits them; with tenants, a driver, too.
struct WaitingApplication {
  /// Empty for a driver.
  AppId id;
  std::string name;
  std::string user;
  int executors = 0;
  int cores = 0;

  /// Cores that it still waits for.
  int cores_wanted = 0;

  /// Set of a driver. Its cores are its own; those that it waits for, also those of the
  /// executors that it cannot do without.
  std::optional<DriverId> driver_id;
};
BOOST_DESCRIBE_STRUCT(WaitingApplication, (),
                      (id, name, user, executors, cores, cores_wanted,
                       driver_id))

/// "driver-1" or "app-1"
inline const std::string& id_text(const WaitingApplication& x) {
  return x.driver_id ? x.driver_id->value : x.id.value;
}

struct QueuesResponse {
  /// Unset: all are served in order of submission.
  std::optional<TenantsView> tenants;

  /// Those that are served, at most the first `admitted_shown_max`.
  std::vector<WaitingApplication> admitted;
  std::int64_t admitted_in_all = 0;

  /// Those that wait in the queues of their users, in order of submission, at most
  /// as many.
  std::vector<WaitingApplication> queued;
  std::int64_t queued_in_all = 0;

  static constexpr std::size_t admitted_shown_max = 1000;
};
BOOST_DESCRIBE_STRUCT(QueuesResponse, (),
                      (tenants, admitted, admitted_in_all, queued,
                       queued_in_all))

/// The rules for tenants may have changed.
struct RequestReload {};
BOOST_DESCRIBE_STRUCT(RequestReload, (), ())

/// Without success, all stays as it was; `message` says why. With success it says what has
/// changed.
struct ReloadResponse {
  bool success = false;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ReloadResponse, (), (success, message))

} // namespace stoker
