#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/feed.hpp"
#include "actors/files.hpp"
#include "actors/history.hpp"
#include "actors/interfaces.hpp"
#include "actors/journal.hpp"
#include "actors/leader_election.hpp"
#include "actors/passed_on.hpp"
#include "actors/peers.hpp"
#include "actors/planning_end.hpp"
#include "messages/result.hpp"
#include "metrics/master_metrics.hpp"
#include "network/actor_network.hpp"
#include "network/limited_log.hpp"
#include "network/shares.hpp"
#include "scheduling/leadership/action_queue.hpp"
#include "scheduling/leadership/master_logic.hpp"
#include "scheduling/master/event_lines.hpp"
#include "scheduling/master/job_reports.hpp"
#include "storage/file_uses.hpp"
#include "storage/message_log.hpp"

namespace stoker {

/// What a MASTER uses besides its state machine.
struct MasterServices {
  /// Where every event is written, if anywhere.
  std::shared_ptr<MessageLogWriter> log;

  /// Reads the rules for tenants again. Empty: they cannot change.
  std::function<Result<TenantsConfig>()> load_tenants;

  /// Knows who is behind a sender. Null: all are of this process.
  ActorNetwork* network = nullptr;

  /// Says when this master may lead. None: from the start.
  LeaderElectionActor election;

  /// Stores what must outlive the master. None: nothing does.
  JournalActor journal;

  /// Called when the store has not answered for `store_timeout`. None: it is
  /// waited for without end.
  std::function<void(const std::string& why)> store_hangs;
  Duration store_timeout = std::chrono::seconds{10};

  /// Told what is committed. None: nobody follows it.
  FeedActor feed;

  /// Keeps what has ended. None: nobody does.
  HistoryActor history;

  /// Keep files that go with commands. None: there can be none.
  FilesActor files;

  /// Counts what it does. Null: nobody does.
  std::shared_ptr<MasterMetrics> metrics;
};

/// The state of the MASTER.
struct MasterState {
  /// Sees the steps; stands before what tells it of them.
  std::unique_ptr<StepObserver> observer;

  /// Makes all decisions.
  std::optional<MasterLogic> logic;

  std::optional<WallClock> clock;
  MasterServices services;

  /// What the logic has decided and is not done yet.
  ActionQueue actions;

  /// Who is behind the connections that the logic numbers.
  Peers peers;

  /// How requests are answered that wait for a decision or a commit.
  using Respond = std::function<void(const Result<std::optional<Answer>>&)>;
  std::map<RequestNumber, Respond> requests;
  RequestNumber last_request = 0;

  /// Requests that were passed on to a worker: they fail when its connection
  /// ends.
  PassedOn passed_on;

  /// Questions that take a copy of the cluster. Each returns whether it has begun.
  struct Planning {
    std::deque<std::function<bool()>> questions;
    bool busy = false;
    PlanningEnd end;
  };
  Planning planning;

  /// Questions that wait for something to be committed: so many at once, since what they keep in
  /// memory is little.
  static constexpr std::size_t followers_max = 10'000;
  struct Follower {
    Instant until;

    /// The peer that asks, such as "user ann".
    std::string who;

    /// Answers, if there is an answer or the time is up; returns whether it has.
    std::function<bool(bool time_is_up)> answer;
  };
  /// By what they wait for.
  enum class FollowerOf { ends, changes };
  std::map<FollowerOf, std::vector<Follower>> followers;
  Shares follower_places{followers_max};

  /// When it is looked next whose time is up.
  std::optional<Instant> next_look;

  /// Files of commands that are here.
  FileUses files;
  bool looks_at_files = false;

  /// Pieces of files that are stored or read at present: each is in memory.
  static constexpr std::size_t pieces_max = 256;
  Shares open_pieces{pieces_max};

  /// The last batch that was committed in the present leadership.
  std::uint64_t last_published = 0;

  /// What drivers have said in the present leadership.
  JobReports job_reports;

  /// Of the present leadership.
  std::optional<EventLines> events;

  /// Of those who said what they may not.
  LimitedLog refusals{"not-allowed"};

  /// Whether people have been told why this master cannot lead.
  bool told_of_failure = false;

  /// Names the actor in logs.
  static constexpr const char* name = "master";
};

using MasterSelf = MasterActor::stateful_pointer<MasterState>;

/// Wires a MasterLogic to messages, timers, monitors, the election, the journal
/// and the message log. STANDBY until it is elected.
MasterActor::behavior_type master(MasterSelf self, ClusterConfig config,
                                  MasterServices services);

} // namespace stoker
