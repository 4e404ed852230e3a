#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/master/cluster_state.hpp"
#include "scheduling/master/events.hpp"

namespace stoker {

/// Who says something to a master, as far as it is proven.
struct Speaker {
  /// As "node w1" or "user ann". Empty: nobody proves anything here.
  std::string identity;

  /// It is the master's own process.
  bool is_own = false;

  /// The hosts that a node's certificate is for; empty for any host.
  std::vector<std::string> hosts = {};
};

/// Whether an event may come from a speaker. A worker and an application belong to
/// who registered them first, for as long as they are there: nobody else registers
/// as them, at their address, or tells of them and of what they run. What was
/// registered without proof belongs to nobody. An application, an executor or a driver is
/// ended by the user in whose name it runs, by who registered it, and by operators and
/// nodes. A node registers workers only at the hosts that its certificate is for, and a limited
/// number of them (limits.hpp). Applications with drivers of Spark's come from the master's own
/// process alone.
/// @return Errc::not_allowed, with whose it is
[[nodiscard]] Status may_say(const ClusterState& state, const Event& what,
                             const Speaker& who);

/// Whether somebody may tell of an application: as above. Nobody tells of one that is
/// not there.
/// @return Errc::not_found, or Errc::not_allowed, with whose it is
[[nodiscard]] Status may_tell_of(const ClusterState& state, const AppId& app,
                                 const Speaker& who);

/// Whether somebody may speak for a worker: as above.
/// @return Errc::not_allowed, with whose it is
[[nodiscard]] Status may_speak_for(const ClusterState& state,
                                   const WorkerId& worker, const Speaker& who);

/// Who says it goes into a registration and a submission. What the sender has
/// written there does not count.
void set_identity(Event& what, const Speaker& who);

} // namespace stoker
