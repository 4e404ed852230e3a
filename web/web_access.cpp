#include "web/web_access.hpp"

#include <chrono>
#include <string_view>

#include "network/connection_owner.hpp"
#include "network/peer_name.hpp"
#include "web/cookie.hpp"

namespace stoker {

namespace {

HttpResponse not_signed_in() {
  auto result = http_problem(
      401, "the master does not know who you are: open a link that 'stoker "
           "web' makes, or show a certificate of the cluster's authority");
  result.fields.emplace_back("WWW-Authenticate", "Link realm=\"stoker web\"");
  return result;
}

/// Of how whoever asks calls the server: a tunnel may end at another port than the server's.
std::string port_as_seen(const HttpRequest& x) {
  auto host = std::string_view{x.host};
  // "[::1]:8080": what stands in brackets is no port.
  auto colon = host.rfind(':');
  auto bracket = host.rfind(']');
  if (!host.empty()
      && (colon == std::string_view::npos
          || (bracket != std::string_view::npos && colon < bracket)))
    return x.is_encrypted ? "443" : "80";
  auto port = host.empty() ? host : host.substr(colon + 1);
  auto is_number
      = !port.empty() && port.size() <= 5
        && port.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::string{port} : std::to_string(x.here.port);
}

} // namespace

std::string place_of(const HttpRequest& x) {
  if (x.is_encrypted)
    return "tls " + peer_name(x.peer, find_peer_owner(x.here, x.peer));
  auto owner = owner_of_peer(x.here, x.peer);
  return owner ? "uid " + std::to_string(*owner) : "elsewhere";
}

std::variant<WebUser, WebRefusal> who_asks(const HttpRequest& x,
                                           SparkUsers users,
                                           const WebSessions& sessions,
                                           Instant now) {
  if (auto key = cookie_value(x.cookie, session_cookie(x)))
    if (auto user = sessions.find(*key, place_of(x), now))
      return *user;
  if (x.certificate) {
    auto user = web_user(*x.certificate);
    user.serials = x.serials;
    return user;
  }
  if (x.is_encrypted)
    return WebRefusal{not_signed_in(), {}};
  auto user = user_of_peer(users, x.here, x.peer, "asks");
  if (!user)
    return WebRefusal{
        http_problem(403, user.error().message
                              + "; a link that 'stoker web' makes for somebody "
                                "who may lets you in"),
        user.error()};
  return web_user(*user);
}

std::string session_cookie(const HttpRequest& x) {
  // Browsers take a cookie of this prefix from no other host, and not without encryption.
  return (x.is_encrypted ? "__Host-" : "")
         + ("stoker_session_" + port_as_seen(x));
}

// A browser sends a cookie that is lax with what people open, wherever they come from, which
// gives no order here, and not with what pages of others ask for by themselves.
std::string cookie_of_session(const HttpRequest& x, const std::string& key,
                              Duration age_max) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age_max);
  return session_cookie(x) + '=' + key
         + "; HttpOnly; SameSite=Lax; Path=/; Max-Age="
         + std::to_string(seconds.count()) + (x.is_encrypted ? "; Secure" : "");
}

std::string origin_of(const HttpRequest& x) {
  return (x.is_encrypted ? "https://" : "http://")
         + (x.host.empty() ? to_string(x.here) : x.host);
}

std::string reader_of(const WebUser& x) {
  switch (x.by) {
  case KnownBy::session:
    return "session " + x.session;
  case KnownBy::certificate:
    return "certificate " + x.name;
  case KnownBy::kernel:
    return "kernel " + x.name;
  case KnownBy::nothing:
    break;
  }
  return "anybody";
}

} // namespace stoker
