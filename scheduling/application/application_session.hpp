#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/registration/master_link.hpp"
#include "scheduling/registration/registration.hpp"

namespace stoker {

/// What an application's end of the cluster is told once.
struct ApplicationSessionConfig {
  ApplicationDescription description;

  /// Different for each application of a cluster.
  EndpointId endpoint;

  RegistrationConfig registration;
};

// -- events that only an application knows ------------------------------------

struct ApplicationStarted {};

/// The application wants to leave the cluster.
struct ApplicationStopRequested {};

/// UnregisterApplication was answered by `left`, or will not be (false).
struct UnregisterAnswered {
  bool left = false;
};

struct ApplicationTick {};

using ApplicationEvent
    = std::variant<ApplicationStarted, MasterConnected, MasterConnectionFailed,
                   MasterDisconnected, ApplicationStopRequested,
                   UnregisterAnswered, ApplicationTick, MasterInStandby,
                   RegisteredApplication, ApplicationRemoved, WorkerRemoved,
                   ExecutorAdded, ExecutorUpdated, MasterChanged>;

// -- effects ------------------------------------------------------------------

using ApplicationMessage
    = std::variant<RegisterApplication, MasterChangeAcknowledged>;

struct SendApplicationMessage {
  ApplicationMessage message;
};

/// Ask, and feed UnregisterAnswered back.
struct AskToLeave {
  UnregisterApplication message;
};

// What the application is to know.

/// Registered, for the first time or again after a lost connection.
struct ApplicationConnected {
  AppId id;
};
/// The connection broke. Executors go on; a master is looked for.
struct ApplicationDisconnected {
  std::string reason;
};
/// No master could be reached so far; told once in each search.
struct ApplicationSearches {
  std::string reason;
};
/// The application is over, refused, or without a master for too long.
struct ApplicationDead {
  std::string reason;
};

using ApplicationNews
    = std::variant<ApplicationConnected, ApplicationDisconnected,
                   ApplicationSearches, ApplicationDead, ExecutorAdded,
                   ExecutorUpdated, WorkerRemoved>;

struct InformApplication {
  ApplicationNews news;
};

/// Feed ApplicationTick back at `when`.
struct ApplicationWakeAt {
  Instant when;
};

/// Nothing follows. Those who wait for the application to have left are to hear
/// whether it has, as far as that is known.
struct EndApplicationSession {
  bool left = false;
};

using ApplicationEffect
    = std::variant<ConnectToMaster, SendApplicationMessage, AskToLeave,
                   InformApplication, ApplicationWakeAt, EndApplicationSession>;

using ApplicationEffects = std::vector<ApplicationEffect>;

// -- the state machine --------------------------------------------------------

/// An application's decisions: stays registered as the same application across
/// the loss of masters, and heeds the latest leader only.
///
/// When it is over, because the master has ended or refused it, it looks for no
/// master any more, but keeps the connection that it has: what its executors
/// wrote can still be asked for. It ends when it is asked to, or when no master
/// was found for too long.
class ApplicationSession {
public:
  explicit ApplicationSession(ApplicationSessionConfig config);

  /// `from`: the leadership that a master speaks for who says `what`. One that
  /// has been replaced is not heeded, but left.
  [[nodiscard]] ApplicationEffects
  step(Instant now, const ApplicationEvent& what, LeaderEpoch from = {});

  /// What it is registered as, or was last.
  [[nodiscard]] const std::optional<AppId>& app_id() const noexcept {
    return app_id_;
  }

private:
  void on(const ApplicationStarted& x);
  void on(const MasterConnected& x);
  void on(const MasterConnectionFailed& x);
  void on(const MasterDisconnected& x);
  void on(const ApplicationStopRequested& x);
  void on(const UnregisterAnswered& x);
  void on(const ApplicationTick& x);
  void on(const MasterInStandby& x);
  void on(const RegisteredApplication& x);
  void on(const ApplicationRemoved& x);
  void on(const WorkerRemoved& x);
  void on(const ExecutorAdded& x);
  void on(const ExecutorUpdated& x);
  void on(const MasterChanged& x);

  void act(const Registration::Action& action);
  void search_on(const std::string& reason);
  void inform(ApplicationNews news);
  void end(bool left);
  void arm();

  ApplicationSessionConfig config_;
  Registration registration_;
  Instant now_;
  ApplicationEffects out_;
  std::optional<AppId> app_id_;

  /// The latest leadership that was heard of.
  LeaderEpoch epoch_;

  /// Whether there is a connection to a master.
  bool connected_ = false;

  /// Whether the application knows of the present search for a master.
  bool told_of_search_ = false;

  /// The master has ended or refused the application.
  bool over_ = false;

  bool leaving_ = false;
  bool ended_ = false;
  std::optional<Instant> armed_for_;
};

} // namespace stoker
