#include "web/web_access.hpp"

#include <chrono>

#include "gateway/connection_owner.hpp"
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

} // namespace

std::string place_of(const HttpRequest& x) {
  if (x.is_encrypted)
    return "tls";
  auto owner = owner_of_peer(x.here, x.peer);
  return owner ? "uid " + std::to_string(*owner) : "elsewhere";
}

std::variant<WebUser, HttpResponse> who_asks(const HttpRequest& x,
                                             SparkUsers users,
                                             const WebSessions& sessions,
                                             Instant now) {
  if (auto key = cookie_value(x.cookie, session_cookie))
    if (auto user = sessions.find(*key, place_of(x), now))
      return *user;
  if (x.certificate)
    return web_user(*x.certificate);
  if (x.is_encrypted)
    return not_signed_in();
  auto user = user_of_peer(users, x.here, x.peer, "asks");
  if (!user)
    return http_problem(403, user.error().message);
  return web_user(*user);
}

std::string cookie_of_session(const std::string& key, Duration age_max,
                              bool is_encrypted) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age_max);
  return std::string{session_cookie} + '=' + key
         + "; HttpOnly; SameSite=Strict; Path=/; Max-Age="
         + std::to_string(seconds.count()) + (is_encrypted ? "; Secure" : "");
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
