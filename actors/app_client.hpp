#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "actors/master_connection.hpp"
#include "scheduling/application/application_session.hpp"

namespace stoker {

using AppClientConfig = ApplicationSessionConfig;

/// The state of the APP CLIENT.
struct AppClientState {
  /// Makes all decisions.
  std::optional<ApplicationSession> session;

  std::optional<WallClock> clock;
  std::optional<MasterConnection<AppClientActor>> connection;

  /// All that hear the news, in the order in which they have subscribed.
  std::vector<ApplicationNewsSink> subscribers;

  /// The latest news about the application itself, for later subscribers.
  std::optional<ApplicationNews> status;

  /// Requests of the application that the master has not answered yet. All get
  /// an answer, whatever happens to the master or to this actor.
  std::map<std::uint64_t, caf::response_promise> open_requests;
  std::uint64_t next_request = 0;

  /// A master may know the application. Without one nothing of it can be left running.
  bool was_connected = false;

  /// Who waits for the application to have left.
  std::vector<caf::typed_response_promise<bool>> leaving;

  /// Names the actor in logs.
  static constexpr const char* name = "app-client";
};

/// Wires an ApplicationSession to its master, to the clock and to subscribers.
/// @param subscriber Hears all news. More can follow, see SubscribeToNews.
AppClientActor::behavior_type
app_client(AppClientActor::stateful_pointer<AppClientState> self,
           AppClientConfig config, ConnectorActor connector,
           ApplicationNewsSink subscriber);

} // namespace stoker
