#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/result.hpp"
#include "scheduling/leadership/commit_queue.hpp"
#include "scheduling/leadership/connections.hpp"
#include "scheduling/leadership/leadership.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/master/ownership.hpp"

namespace stoker {

/// Counts a master's attempts to lead. What belongs to an earlier one is ignored.
using TermNumber = std::uint64_t;

// -- what the host has to do --------------------------------------------------

/// Take part in the election from `after` on. Feed ElectionWon back when this
/// master may lead, ElectionObstructed when it is found why it may not yet, and
/// ElectionLost when it may not any longer.
struct ContendForLeadership {
  TermNumber term = 0;
  Duration after{};
};

/// Let another lead. `why` is for people.
struct ResignLeadership {
  std::string why;
};

/// Begin a leadership in the store. Feed LeadershipBegun back.
struct BeginLeadership {
  TermNumber term = 0;
};

/// Commit all of it or nothing. Feed BatchCommitted back. Only one is under way
/// at a time.
struct CommitBatch {
  TermNumber term = 0;
  SharedChanges changes;
};

/// Find out whether the store would still take a commit. Feed LeadershipChecked
/// back. Only one is under way at a time.
struct CheckLeadership {
  TermNumber term = 0;
};

/// Tell followers of the store what has been committed. `number` counts the
/// batches of a leadership, from 1 on.
struct PublishBatch {
  LeaderEpoch epoch;
  std::uint64_t number = 0;
  SharedChanges changes;
};

/// Nobody is reached over this connection any more. Its end is of no interest.
struct LeavePeer {
  PeerNumber peer = 0;
};

/// Show those who stand by that this leader lives, and that its store answers.
struct ShowLife {};

/// The store has not answered for so many beats.
struct StoreHangs {
  int beats = 0;
};

/// Somebody has said what he may not.
struct LogRefusal {
  std::string why;
};

/// Call `tick` at this time. Earlier ones need not be cancelled.
struct WakeMaster {
  Instant at;
};

using MasterAction
    = std::variant<ContendForLeadership, ResignLeadership, BeginLeadership,
                   CommitBatch, CheckLeadership, PublishBatch, Outbox,
                   LeavePeer, ShowLife, StoreHangs, LogRefusal, WakeMaster>;

/// To be carried out in order.
using MasterActions = std::vector<MasterAction>;

// -- what the host reports ----------------------------------------------------

struct ElectionWon {
  TermNumber term = 0;
};

/// It contends, and may not lead yet. `why` is for people; empty: another one leads.
struct ElectionObstructed {
  TermNumber term = 0;
  std::string why;
};

struct ElectionLost {
  TermNumber term = 0;
  std::string why;
};

struct LeadershipBegun {
  TermNumber term = 0;
  Result<Leadership> leadership;
};

struct BatchCommitted {
  TermNumber term = 0;
  Status status;
};

struct LeadershipChecked {
  TermNumber term = 0;
  Status status;
};

// -- the state machine --------------------------------------------------------

/// Sees each step of a master's Cluster when it has been made, before anything
/// follows from it: for message logs, and for the simulation's referee.
class StepObserver {
public:
  virtual ~StepObserver() = default;

  /// @param from Who sent the event; empty if nobody did.
  virtual void stepped(const Cluster& cluster, const EndpointId& from,
                       const Event& event, const StepResult& result)
      = 0;
};

/// A master's leaderships: when it leads, what it commits, what it may send.
///
///               ElectionWon            LeadershipBegun
///     CONTENDING ----------> OPENING -----------------> LEADING
///         ^                     | fails                    | a commit or a check
///         | after retry_pause   v                          v fails, ElectionLost
///         +------------------ resigns <--------------------+
///
/// While it leads, its Cluster decides; before and after that the Cluster is
/// STANDBY. Whatever it sends waits until all that it presumes is committed.
/// With its leadership end what was not committed, the requests that wait for
/// it, which fail, and all connections: peers look for another master, which may
/// be this one. Its end is a step of the Cluster (LeadershipEnded), which observers
/// see like any other.
///
/// Where nothing is stored (`ClusterConfig::durable`), nothing waits.
class MasterLogic {
public:
  /// @pre `validate(config)`
  /// @param observer Outlives this; may be null.
  explicit MasterLogic(ClusterConfig config, StepObserver* observer = nullptr);

  /// To be called once, at first.
  [[nodiscard]] MasterActions start();

  /// What those are told who ask while it does not lead: as far as it knows, why.
  [[nodiscard]] Error standby_error() const {
    return not_alive(why_in_standby_);
  }

  [[nodiscard]] MasterActions on(const ElectionWon& x);
  /// Returns whether it still contends: then it is to be told of the next reason, too.
  bool on(const ElectionObstructed& x);
  [[nodiscard]] MasterActions on(Instant now, const ElectionLost& x);
  [[nodiscard]] MasterActions on(Instant now, LeadershipBegun x);
  [[nodiscard]] MasterActions on(Instant now, const BatchCommitted& x);
  [[nodiscard]] MasterActions on(Instant now, const LeadershipChecked& x);

  /// A peer says something. Who registers is reached over `peer` from now on, if
  /// that is not 0. What somebody says over another connection than his present
  /// one does not count.
  /// What he may not say (`may_say`) changes nothing; who registers is told.
  [[nodiscard]] MasterActions hear(Instant now, PeerNumber peer, Event what,
                                   const Speaker& who = {});

  /// Somebody asks for something. It is answered by an Outbox.
  /// @param peer The connection over which he asks; 0: nobody registered over it, or
  /// all have left it; unset: over none. How many executors an application wants does
  /// not count over another one than its present one, since it may have said something
  /// else there meanwhile. The answer is that nobody is there.
  [[nodiscard]] MasterActions ask(Instant now, RequestNumber request,
                                  Event what, const Speaker& who = {},
                                  std::optional<PeerNumber> peer = {});

  /// The host has the answer to a question about the present state. It may give
  /// it once an Outbox says so: when that state is committed.
  [[nodiscard]] MasterActions ask_after_commit(RequestNumber request);

  /// A connection has ended.
  [[nodiscard]] MasterActions disconnect(Instant now, PeerNumber peer);

  /// Whether the driver of an application that is here is reached over this
  /// connection.
  [[nodiscard]] bool is_reached(const AppId& app, PeerNumber peer) const;

  /// Time has passed; calling it early changes nothing.
  [[nodiscard]] MasterActions tick(Instant now);

  /// To be called every `beat_every`.
  [[nodiscard]] MasterActions beat(Instant now);

  /// What tenants may do when the next leadership begins.
  void use_tenants(TenantsConfig tenants);

  [[nodiscard]] const Cluster& cluster() const noexcept {
    return cluster_;
  }
  [[nodiscard]] const Connections& connections() const noexcept {
    return connections_;
  }

  /// As it was started with, but for the tenants.
  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return config_;
  }

  [[nodiscard]] bool leads() const noexcept {
    return phase_ == Phase::leading;
  }

  /// Whether the present state contains something that is not committed.
  [[nodiscard]] bool has_uncommitted() const noexcept {
    return queue_.has_pending();
  }

private:
  enum class Phase { contending, opening, leading };

  [[nodiscard]] bool awaits_store() const noexcept {
    return phase_ == Phase::opening
           || (phase_ == Phase::leading && queue_.is_under_way());
  }

  [[nodiscard]] bool comes_late(const Event& what,
                                std::optional<PeerNumber> peer) const;
  void refuse(MasterActions& out, PeerNumber peer, const Event& what,
              const std::string& why);
  void apply(MasterActions& out, Instant now, const Event& what,
             RequestNumber request = 0);
  void notice_stall(MasterActions& out, Instant now);
  void notice_stalled_store(MasterActions& out, Instant now,
                            Duration more = {});
  void give_time(MasterActions& out, Instant now, Duration time);
  void step(MasterActions& out, Instant now, const Event& what,
            RequestNumber request);
  void explain_standby(OutgoingMessages& messages) const;
  [[nodiscard]] StepResult step_cluster(Instant now, const Event& what);
  void send(MasterActions& out, Changes changes, Outbox outbox);
  void commit(MasterActions& out);
  [[nodiscard]] MasterActions stand_by(Instant now, std::string why);

  ClusterConfig config_;
  StepObserver* observer_;
  Phase phase_ = Phase::contending;
  TermNumber term_ = 1;
  StepNumber last_step_ = 0;

  /// Answers of the store: whether one to a commit came since the last beat,
  /// whether one to a check is awaited, and how many beats have waited in vain for
  /// one to a commit.
  bool answered_ = false;
  bool check_under_way_ = false;
  int beats_without_answer_ = 0;

  /// One for each leadership.
  Cluster cluster_;

  /// Of its last leadership, or of the attempt at one. Empty: it leads, has not tried, or
  /// has found since that another one leads.
  std::string why_in_standby_;
  CommitQueue queue_;

  /// Until when peers have been given the time back that stalls have taken.
  Instant given_until_;
  Connections connections_;

  /// The last wake-up that was due came too late.
  bool stalled_ = false;

  /// When it was noticed last that the master is not stalled; unset: it has no
  /// beats.
  std::optional<Instant> last_beat_;

  /// Batches committed in this leadership.
  std::uint64_t committed_ = 0;
};

} // namespace stoker
