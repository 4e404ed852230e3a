#pragma once

// Who asks for pages and at /api/v1, and may.

#include <optional>
#include <string>
#include <variant>

#include "gateway/spark_users.hpp"
#include "messages/instant.hpp"
#include "web/http.hpp"
#include "web/web_sessions.hpp"
#include "web/web_user.hpp"

namespace stoker {

/// The name of the cookie, as "stoker_session_8080": with the port at which the browser sees
/// the server, since browsers show the cookies of a host to the servers of all its ports, and
/// one master would sign the readers of another out.
std::string session_cookie(const HttpRequest& x);

/// Where a connection comes from: without encryption the user of this machine, and under TLS
/// that or the address. A cookie that was set there is good for no other place: browsers show
/// those of 127.0.0.1 to the servers of all its ports, and one that was stolen is worth nothing
/// elsewhere.
std::string place_of(const HttpRequest& x);

/// Why somebody may not ask.
struct WebRefusal {
  /// 401 over TLS, else 403. It says how to get in.
  HttpResponse answer;

  /// For `log_refused_user`. Nothing: he is not signed in yet, which is no news.
  std::optional<Error> why;
};

/// Who asks: whom his session says, else his certificate, else the kernel.
/// @param users whom the kernel's word lets in
std::variant<WebUser, WebRefusal> who_asks(const HttpRequest& x,
                                           SparkUsers users,
                                           const WebSessions& sessions,
                                           Instant now);

/// The field Set-Cookie for a session that begins with this request; for one that ends, with
/// no key and no age.
std::string cookie_of_session(const HttpRequest& x, const std::string& key,
                              Duration age_max);

/// Where the server is, as whoever asks knows it: "https://node1:8080".
std::string origin_of(const HttpRequest& x);

/// Tells a reader from all others, for the forms that are made for him.
std::string reader_of(const WebUser& x);

} // namespace stoker
