#pragma once

// How a command line waits for what changes, without asking again and again.
//
//   command line          master
//     | RequestEnds         |
//     |-------------------->|  until all have ended, or wait_ms have passed
//     |   EndsResponse      |
//     |<--------------------|
//     | AwaitChange         |
//     |-------------------->|  until more is committed, or wait_ms have passed
//     |   ChangePosition    |
//     |<--------------------|
//
// An answer may come early: whoever wants more asks again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/instant.hpp"
#include "messages/leader_epoch.hpp"

namespace stoker {

/// For at most so long a master lets somebody wait for an answer.
inline constexpr std::int64_t longest_following_ms = 10'000;

/// In one request.
inline constexpr std::size_t ends_asked_max = 1000;

/// Asks how applications and drivers have ended.
struct RequestEnds {
  std::vector<AppId> apps;
  std::vector<DriverId> drivers;

  /// How long the answer may wait until all of them have.
  std::int64_t wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RequestEnds, (), (apps, drivers, wait_ms))

struct ProgramEnd {
  /// As it was asked for.
  std::string id;

  /// That of an ApplicationState or a DriverState. Unset: nobody knows it here, or not
  /// any more.
  std::optional<std::string> state;

  /// Nothing follows; and all was as it should be.
  bool ended = false;
  bool succeeded = false;

  /// Of one that did not succeed: as a shell reports the command that failed. Unset: it is
  /// not known, or no command is to blame.
  std::optional<int> exit_status;
  std::optional<std::string> message;

  /// The driver that went on in its place: all but `id` is about this one.
  std::optional<DriverId> relaunched_as;

  /// Milliseconds since 1970.
  std::optional<std::int64_t> ended_ms;
};
BOOST_DESCRIBE_STRUCT(ProgramEnd, (),
                      (id, state, ended, succeeded, exit_status, message,
                       relaunched_as, ended_ms))

/// In the order of the request, drivers last.
struct EndsResponse {
  std::vector<ProgramEnd> ends;
};
BOOST_DESCRIBE_STRUCT(EndsResponse, (), (ends))

/// How much somebody has seen of what leaders commit. The default: nothing.
struct ChangePosition {
  LeaderEpoch epoch;

  /// Counts what was committed in this leadership.
  std::uint64_t number = 0;
};
BOOST_DESCRIBE_STRUCT(ChangePosition, (), (epoch, number))

/// Asks for the present position, once that is another one.
struct AwaitChange {
  ChangePosition after;
  std::int64_t wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(AwaitChange, (), (after, wait_ms))

/// How long an answer may take; of others none takes longer than it should.
template <class Request>
Duration following_time(const Request& x) {
  return Duration{std::clamp<std::int64_t>(x.wait_ms, 0, longest_following_ms)};
}

} // namespace stoker
