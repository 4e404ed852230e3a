#pragma once

#include <string>

#include <caf/event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "web/http.hpp"
#include "web/rest_request.hpp"
#include "web/web_user.hpp"

namespace stoker {

struct RestCallConfig {
  MasterActor master;
  RestRequest request;

  /// Who asks.
  WebUser user;
  HttpReplyPtr reply;
};

/// Asks the master what somebody has asked at /api/v1, answers him, and ends.
/// @pre it is one of the requests that the master is asked
void rest_call(caf::event_based_actor* self, const RestCallConfig& config);

} // namespace stoker
