#pragma once

// How something has ended, told to somebody else's server.

#include <optional>
#include <string>

#include "messages/result.hpp"
#include "tools/stoker/user_config.hpp"
#include "web/http_client.hpp"

namespace stoker {

/// Where 'stoker notify' posts to, unless it is told.
inline constexpr const char* notice_url_variable = "STOKER_NOTIFY_URL";

/// Where to post something.
struct NoticeAddress {
  WebAddress server;

  /// A path, with a query or without.
  std::string target = "/";

  friend bool operator==(const NoticeAddress&, const NoticeAddress&) = default;
};

/// Reads "http://HOST[:PORT][/PATH]", or https. Fails with `Errc::invalid_request`; the
/// message does not repeat the path, which may be a secret.
Result<NoticeAddress> parse_notice_address(const std::string& url);

/// A JSON object of what a program that follows an end finds in its environment: "id",
/// "name", "state", "succeeded", "exit_status" (or null), "message" (or null), and all
/// of it as one line, "text". Nothing: it does not follow an end.
std::optional<std::string> end_notice(const Variables& variables);

} // namespace stoker
