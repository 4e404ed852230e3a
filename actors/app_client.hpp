#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "scheduling/application/application_session.hpp"

namespace stoker {

/// What an application learns about itself. Called on the APP CLIENT's thread;
/// must not block.
class AppClientListener {
public:
  virtual ~AppClientListener() = default;

  /// Registered, for the first time or again after a lost connection.
  virtual void connected(const AppId& id) = 0;

  /// The connection broke. Executors go on; the client looks for a master.
  virtual void disconnected(const std::string& reason) = 0;

  /// No master could be reached so far; told once in each search.
  virtual void searching(const std::string& reason) = 0;

  /// The application is over, refused, or without a master for too long.
  /// Nothing follows. What its executors wrote can still be asked for, until
  /// the client is stopped; after the loss of the master it ends by itself.
  virtual void dead(const std::string& reason) = 0;

  virtual void executor_added(const ExecutorAdded& x) = 0;
  virtual void executor_updated(const ExecutorUpdated& x) = 0;
  virtual void worker_removed(const WorkerRemoved& x) = 0;
};

using AppClientConfig = ApplicationSessionConfig;

/// The state of the APP CLIENT.
struct AppClientState {
  /// Makes all decisions.
  std::optional<ApplicationSession> session;

  std::optional<WallClock> clock;
  ConnectorActor connector;

  /// The master that the session is connected to, if any.
  MasterActor master;

  std::shared_ptr<AppClientListener> listener;

  /// Counts connections, so that the late end of an old one is ignored.
  std::uint64_t connection = 0;

  /// Requests of the application that the master has not answered yet. All get
  /// an answer, whatever happens to the master or to this actor.
  std::map<std::uint64_t, caf::response_promise> open_requests;
  std::uint64_t next_request = 0;

  /// Who waits for the application to have left.
  std::vector<caf::typed_response_promise<bool>> leaving;

  /// Names the actor in logs.
  static constexpr const char* name = "app-client";
};

/// Wires an ApplicationSession to its master, to the clock and to a listener.
AppClientActor::behavior_type
app_client(AppClientActor::stateful_pointer<AppClientState> self,
           AppClientConfig config, ConnectorActor connector,
           std::shared_ptr<AppClientListener> listener);

} // namespace stoker
