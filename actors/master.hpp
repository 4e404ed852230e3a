#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <variant>

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "actors/journal.hpp"
#include "actors/leader_election.hpp"
#include "actors/master_speech.hpp"
#include "messages/result.hpp"
#include "scheduling/leadership/commit_queue.hpp"
#include "scheduling/master/cluster.hpp"
#include "storage/message_log.hpp"

namespace stoker {

/// What a MASTER uses besides its state machine.
struct MasterServices {
  /// Where every event is written, if anywhere.
  std::shared_ptr<MessageLogWriter> log;

  /// Reads the rules for tenants again. Empty: they cannot change.
  std::function<Result<TenantsConfig>()> load_tenants;

  /// Says when this master may lead. None: from the start.
  LeaderElectionActor election;

  /// Stores what must outlive the master. None: nothing does.
  JournalActor journal;
};

/// The state of the MASTER.
struct MasterState {
  /// As the master was started with. What tenants may do can have changed since.
  ClusterConfig config;

  /// Makes all decisions. One for each leadership.
  std::optional<Cluster> cluster;

  std::optional<WallClock> clock;

  /// What was decided, and is not to be said before it is committed.
  CommitQueue<Outbox> queue;

  /// Counts leaderships, so that what belongs to an earlier one is recognised.
  std::uint64_t term = 0;

  /// The present connection of each peer. One that comes back over a new
  /// connection replaces the entry, so the late end of the old one is ignored.
  Connections connections;

  /// Who is behind each connection that is monitored.
  std::map<caf::actor_addr, std::set<EndpointId>> endpoints;

  /// Requests that were passed on to a worker, and its connection: they fail
  /// when it breaks.
  struct PassedOn {
    caf::actor_addr worker;
    caf::typed_response_promise<LogResponse> answer;
  };
  std::map<std::uint64_t, PassedOn> open_requests;
  std::uint64_t next_request = 0;

  MasterServices services;

  /// Whether people have been told why this master cannot lead.
  bool told_of_failure = false;

  /// Names the actor in logs.
  static constexpr const char* name = "master";
};

using MasterSelf = MasterActor::stateful_pointer<MasterState>;

/// Wires a Cluster to messages, timers, monitors, the journal and the message
/// log: step, commit, then send. STANDBY until it is elected.
MasterActor::behavior_type master(MasterSelf self, ClusterConfig config,
                                  MasterServices services);

} // namespace stoker
