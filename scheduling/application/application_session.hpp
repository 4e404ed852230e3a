#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduling/application/application_events.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// Static configuration of an application's session.
struct ApplicationSessionConfig {
  ApplicationDescription description;

  /// Different for each application of a cluster.
  EndpointId endpoint;

  RegistrationConfig registration;

  /// What it is registered as already, by a predecessor of this session with the same
  /// endpoint, and how many of these there were.
  std::optional<AppId> app_id;
  std::uint64_t life = 0;
};

/// An application's decisions: stays registered as the same application across
/// the loss of masters, and believes the latest leader only. Its link to the
/// master is a MasterLink.
///
///                1                      3 or 4
///     ACTIVE ---------> LEAVING -----------------------> ENDED
///        |                                                 ^
///        | 2                                               | 1
///        +------------> OVER ------------------------------+
///
/// 1: the application is asked to stop; before it is registered, and in OVER, it
/// ends at once. 2: the master refuses or removes it. 3: the master has answered,
/// or removed it meanwhile. 4: the connection broke. Without a master for too
/// long it ends from any state but OVER.
///
/// In OVER it looks for no master any more, but keeps the connection that it
/// has: what its executors wrote can still be asked for.
class ApplicationSession {
public:
  explicit ApplicationSession(ApplicationSessionConfig config);

  /// Something happened here.
  [[nodiscard]] ApplicationEffects step(Instant now,
                                        const ApplicationEvent& what);

  /// A master says `what`.
  [[nodiscard]] ApplicationEffects hear(Instant now, const MessageOrigin& from,
                                        const MessageToApplication& what);

  /// What it is registered as, or was last.
  [[nodiscard]] const std::optional<AppId>& app_id() const noexcept {
    return app_id_;
  }

private:
  enum class Phase { active, leaving, over, ended };

  void on(const ApplicationStarted& x);
  void on(const MasterConnected& x);
  void on(const MasterConnectionFailed& x);
  void on(const MasterDisconnected& x);
  void on(const ApplicationStopRequested& x);
  void on(const UnregisterAnswered& x);
  void on(const ReportJobs& x);
  void on(const ApplicationTick& x);
  void on(const MasterInStandby& x);
  void on(const RegisteredApplication& x);
  void on(const ReconnectApplication& x);
  void on(const ApplicationRemoved& x);
  void on(const WorkerRemoved& x);
  void on(const ExecutorAdded& x);
  void on(const ExecutorUpdated& x);
  void on(const MasterChanged& x);

  void accepted();
  void send_heartbeat();
  void send_report();
  void act(const MasterLink::Action& action);
  void search_on(const std::string& reason);
  void inform(ApplicationNews news);
  void end(bool left);
  ApplicationEffects finish_step();

  ApplicationSessionConfig config_;
  MasterLink link_;
  Instant now_;
  ApplicationEffects out_;
  std::optional<AppId> app_id_;
  Phase phase_ = Phase::active;

  /// Whether the present search was told of.
  bool told_of_search_ = false;
  std::optional<Instant> heartbeat_due_;

  /// What the application has said last of its jobs. Each master that it registers
  /// with is told.
  std::optional<ReportJobs> report_;

  /// Whether the present connection has begun with all that may not have been
  /// heard: before, a later end says nothing of those before it.
  bool hears_all_ = false;

  /// The last end that was heard of, and the last of which the present master was
  /// told that it was.
  EndNumber heard_;
  EndNumber told_;
  WakeUp wake_up_;
};

} // namespace stoker
